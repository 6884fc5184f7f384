/* How the site's search ranks what it finds: names first, then guides, then pages of the reference, which all share the
   words of their parameters; pictures and the list of changes last. The numbers are Sphinx's own. */
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => score - (/^(api|gallery)\//.test(docname) ? 3 : docname === "changelog" ? 4 : 0),
  objNameMatch: 21,
  objPartialMatch: 11,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

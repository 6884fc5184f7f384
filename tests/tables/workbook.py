"""Workbooks of Excel, as small as they can be."""

import zipfile
from xml.sax.saxutils import escape

_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"""
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STYLES = (
    f"""<styleSheet xmlns="{_MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"""
)


def write_workbook(path, **sheets):
    """Sheets of rows; a cell is text, a number, a bool, None, or ("day", number of days since 1899-12-30)."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        main = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}">{main}</Relationships>')
        named = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="s{k}"/>' for k, name in enumerate(sheets, 1))
        book = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{named}</sheets></workbook>'
        archive.writestr("xl/workbook.xml", book)
        places = "".join(
            f'<Relationship Id="s{k}" Type="{_OFFICE}/worksheet" Target="worksheets/s{k}.xml"/>'
            for k in range(1, len(sheets) + 1)
        )
        places += f'<Relationship Id="st" Type="{_OFFICE}/styles" Target="styles.xml"/>'
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_PACKAGE}">{places}</Relationships>')
        archive.writestr("xl/styles.xml", _STYLES)
        for k, rows in enumerate(sheets.values(), 1):
            body = "".join(
                f'<row r="{r}">' + "".join(_cell(cell, r, c) for c, cell in enumerate(row)) + "</row>"
                for r, row in enumerate(rows, 1)
            )
            sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
            archive.writestr(f"xl/worksheets/s{k}.xml", sheet)
    return path


def _cell(value, row, column):
    place = f'r="{chr(65 + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, tuple):
        return f'<c {place} s="1"><v>{value[1]}</v></c>'
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c {place}><v>{value}</v></c>"

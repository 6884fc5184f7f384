"""The open nodes: a queue with a policy.

Best-first takes the node with the largest gain, level-wise the oldest one; ties go to the smaller node number.
A binary heap of node numbers, ordered by a key that the policy chooses.

    heap     0             the children of place k are 2 k + 1 and 2 k + 2; no node comes before the one above it
            1  2
          3 4  5 6

Node numbers differ, so (key, number) is a strict order: what is popped does not depend on how the heap was filled.
"""

from __future__ import annotations

from spinney._compile import inner_kernel


@inner_kernel
def priority(best_first, node, gain):
    """The smaller, the sooner."""
    return -gain if best_first else float(node)


@inner_kernel
def _before(nodes, a, b):
    return nodes[a].key < nodes[b].key or (nodes[a].key == nodes[b].key and a < b)


@inner_kernel
def push(heap, size, nodes, node):
    """Add a node whose key is nodes[node].key; returns the new size."""
    at = size  # a hole, which moves up until the node fits into it
    while at > 0:
        above = (at - 1) // 2
        if not _before(nodes, node, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = node
    return size + 1


@inner_kernel
def pop(heap, size, nodes):
    """Take the first node; returns (node, new size)."""
    first = heap[0]
    size -= 1
    node = heap[size]
    at = 0  # a hole at the top, which moves down until the last node fits into it
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _before(nodes, heap[below + 1], heap[below]):
            below += 1
        if not _before(nodes, heap[below], node):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = node
    return first, size

"""Finds texts of a picture that overlap, or that are cut off and cannot be read in full anywhere."""

from __future__ import annotations

from playwright.sync_api import Locator

# Boxes of lines of text may touch: fonts are drawn smaller than their boxes.
_FIND = """
(root, slack) => {
    const cuts = style => [style.overflowX, style.overflowY].some(each => each !== 'visible');
    const scrolls = style => [style.overflowX, style.overflowY].some(each => ['auto', 'scroll'].includes(each));
    const named = element => element.title || element.ariaLabel || element.querySelector(':scope > title');
    const titled = element => named(element) || named(element.parentElement);
    const clipped = (rect, element) => {
        let box = {left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom}, hidden = false;
        for (let at = element; at && at !== root.parentElement; at = at.parentElement) {
            const style = getComputedStyle(at);
            if (style.clipPath !== 'none') return [null, false];
            if (!cuts(style) || style.display === 'inline') continue;
            const edge = at.getBoundingClientRect();
            const next = {left: Math.max(box.left, edge.left), top: Math.max(box.top, edge.top),
                right: Math.min(box.right, edge.right), bottom: Math.min(box.bottom, edge.bottom)};
            const lost = ['left', 'top', 'right', 'bottom'].some(side => Math.abs(next[side] - box[side]) > slack);
            hidden ||= lost && !scrolls(style);
            box = next;
        }
        return [box.right - box.left > slack && box.bottom - box.top > slack ? box : null, hidden];
    };
    const boxes = [], problems = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.data.trim(), element = node.parentElement;
        if (!text || ['STYLE', 'TITLE', 'OPTION', 'SCRIPT'].includes(element.tagName)) continue;
        if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) {
            if (rect.width < 1 || rect.height < 1) continue;
            const [box, hidden] = clipped(rect, element);
            if (!box) continue;
            if (hidden && !titled(element)) problems.push(`cut: ${text}`);
            boxes.push({box, text, node, element});
        }
    }
    boxes.sort((a, b) => a.box.top - b.box.top);
    boxes.forEach((one, index) => {
        for (let at = index + 1; at < boxes.length && boxes[at].box.top < one.box.bottom - slack; at += 1) {
            const other = boxes[at];
            const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
            const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
            if (one.node !== other.node && wide > slack && high > slack * 2) {
                problems.push(`overlap: ${one.text} | ${other.text}`);
            }
        }
    });
    return {texts: boxes.length, problems: [...new Set(problems)]};
}
"""
SLACK_PIXELS = 1.5


def bad_texts(root: Locator) -> list[str]:
    """Return the texts of an element that overlap or are cut without a title. An element without texts is an error."""
    found = root.evaluate(_FIND, SLACK_PIXELS)
    assert found["texts"] > 0, f"{root} shows no text"
    return list(found["problems"])

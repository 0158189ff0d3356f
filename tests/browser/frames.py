"""Measures the main thread of a page: how long its frames take, and its long tasks."""

from __future__ import annotations

import os

TASK_MILLIS = 50
# On a shared machine, only a time far beyond the bound certainly indicates a problem.
IS_STRICT = os.environ.get("WORKBENCH_STRICT_TIMING") == "1"
SLACK = 1 if IS_STRICT else 6

# A frame is measured from the first callback before it is drawn to the first message after it.
MEASURE = """() => {
    const measured = window.measured = { frames: [], tasks: [], running: true };
    const after = new MessageChannel();
    let begun = 0;
    after.port1.onmessage = () => measured.frames.push(performance.now() - begun);
    const before = () => {
        begun = performance.now();
        after.port2.postMessage(null);
        if (measured.running) requestAnimationFrame(before);
    };
    requestAnimationFrame(before);
    measured.observer = new PerformanceObserver(list =>
        list.getEntries().forEach(entry => measured.tasks.push(entry.duration)));
    measured.observer.observe({ entryTypes: ['longtask'] });
}"""
RESULT = """() => {
    window.measured.running = false;
    window.measured.observer.disconnect();
    return { frames: window.measured.frames, tasks: window.measured.tasks };
}"""

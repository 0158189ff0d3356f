/** The name of an entry in the browser's performance timeline: from a user's action to the painted result. */
type Measured = `paimon:${string}`;

const begun = new Map<Measured, number>();

export function beginMeasure(name: Measured): void {
  begun.set(name, performance.now());
}

/** End a measurement at the frame that paints the current content of the document. */
export function endMeasure(name: Measured): void {
  const start = begun.get(name);
  if (start !== undefined) {
    begun.delete(name);
    requestAnimationFrame(() => performance.measure(name, { start }));
  }
}

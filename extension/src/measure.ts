/** An entry of the browser's performance timeline: from a user's action to the painted result. */
type Measured = `paimon:${string}`;

const begun = new Map<Measured, number>();

export function beginMeasure(name: Measured): void {
  begun.set(name, performance.now());
}

/** End a measure with the frame that paints what the document holds now. */
export function endMeasure(name: Measured): void {
  const start = begun.get(name);
  if (start !== undefined) {
    begun.delete(name);
    requestAnimationFrame(() => performance.measure(name, { start }));
  }
}

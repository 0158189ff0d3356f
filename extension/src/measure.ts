/** From a user's action to the painted answer, as entries of the browser's performance timeline. */
export type Measured = 'paimon:tree' | 'paimon:table-page' | 'paimon:levels';

const begun = new Map<Measured, number>();

export function beginMeasure(name: Measured): void {
  begun.set(name, performance.now());
}

/** To be called when the document holds the answer: the measure ends with the frame that shows it. */
export function endMeasure(name: Measured): void {
  const start = begun.get(name);
  if (start !== undefined) {
    begun.delete(name);
    requestAnimationFrame(() => performance.measure(name, { start }));
  }
}

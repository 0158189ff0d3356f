import { ElementPool } from './kept';
import type { Tick } from './ticks';

/**
 * The width of a date: where it does not fit before the end of the axis, the date is left of the line where its day
 * begins.
 */
const DATE_WIDTH = 72;

/** The labels of an axis. */
export class TickLabels {
  private readonly elements: ElementPool;

  constructor(parent: HTMLElement) {
    this.elements = new ElementPool(parent);
  }

  draw(ticks: readonly Tick[], width: number): void {
    for (const { x, label, date } of ticks) {
      this.put('pwv-tick', label, x);
      if (date !== null) {
        const end = x + DATE_WIDTH > width ? ' pwv-before' : '';
        this.put(`pwv-day${end}`, date, x);
      }
    }
    this.elements.end();
  }

  private put(css: string, text: string, x: number): void {
    // The same clock time occurs once a day, so one key may be drawn several times.
    const element = this.elements.draw(`${css} ${text}`, document => {
      const made = document.createElement('span');
      made.className = css;
      const label = document.createElement('span');
      label.textContent = text;
      made.append(label);
      return made;
    });
    element.style.transform = `translateX(${x.toFixed(1)}px)`;
  }
}

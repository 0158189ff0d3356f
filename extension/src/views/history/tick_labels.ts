import type { Tick } from './ticks';

/** Near the end of the axis, a date is before the line where its day begins. */
const DATE_WIDTH = 72;

/** The labels of an axis. Each keeps its element while it moves, because laying out text takes long. */
export class TickLabels {
  private elements = new Map<string, HTMLElement>();

  constructor(private readonly parent: HTMLElement) {}

  draw(ticks: readonly Tick[], width: number): void {
    const drawn = new Map<string, HTMLElement>();
    for (const { x, label, date } of ticks) {
      this.put(drawn, 'pwv-tick', label, x);
      if (date !== null) {
        const end = x + DATE_WIDTH > width ? ' pwv-before' : '';
        this.put(drawn, `pwv-day${end}`, date, x);
      }
    }
    for (const [key, element] of this.elements) {
      if (!drawn.has(key)) {
        element.remove();
      }
    }
    this.elements = drawn;
  }

  private put(
    drawn: Map<string, HTMLElement>,
    css: string,
    text: string,
    x: number
  ): void {
    let key = `${css} ${text}`;
    // The same clock time comes once a day.
    while (drawn.has(key)) {
      key += ' ';
    }
    const element = this.elements.get(key) ?? this.create(css, text);
    element.style.transform = `translateX(${x.toFixed(1)}px)`;
    drawn.set(key, element);
  }

  private create(css: string, text: string): HTMLElement {
    const element = this.parent.ownerDocument.createElement('span');
    element.className = css;
    const label = this.parent.ownerDocument.createElement('span');
    label.textContent = text;
    element.append(label);
    this.parent.append(element);
    return element;
  }
}

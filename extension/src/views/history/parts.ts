import type { Markup } from '../markup';

/**
 * The named elements of a frame. Unchanged content is not written again, because the browser would recompute styles and
 * layout.
 */
export class Parts {
  private readonly elements = new Map<string, HTMLElement>();
  private readonly written = new Map<string, string>();

  constructor(private readonly root: HTMLElement) {}

  of(name: string): HTMLElement {
    let element = this.elements.get(name);
    if (!element) {
      element =
        this.root.querySelector<HTMLElement>(`[data-part="${name}"]`) ??
        undefined;
      if (!element) {
        throw new Error(`The history has no part ${name}.`);
      }
      this.elements.set(name, element);
    }
    return element;
  }

  fill(name: string, markup: Markup): void {
    if (this.isNew(`${name} content`, markup.text)) {
      this.of(name).innerHTML = markup.text;
    }
  }

  /** Set the accessible name of a part. */
  label(name: string, text: string): void {
    if (this.isNew(`${name} label`, text)) {
      this.of(name).setAttribute('aria-label', text);
    }
  }

  setHeight(name: string, height: number): void {
    if (this.isNew(`${name} height`, String(height))) {
      this.of(name).style.height = `${height}px`;
    }
  }

  /**
   * Place a layer of a plot. Its fixed size confines a new layout to the layer when its content changes: a layout of
   * the whole page takes longer than all the drawing.
   */
  layer(name: string, top: number, width: number, height: number): void {
    if (this.isNew(`${name} box`, `${top} ${width} ${height}`)) {
      const { style } = this.of(name);
      style.top = `${top}px`;
      style.width = `${width}px`;
      style.height = `${height}px`;
    }
  }

  /** Move a part to a position in pixels, and set its width. */
  span(name: string, from: number, width: number): void {
    const { style } = this.of(name);
    style.transform = `translateX(${from.toFixed(1)}px)`;
    if (this.isNew(`${name} width`, width.toFixed(1))) {
      style.width = `${width.toFixed(1)}px`;
    }
  }

  private isNew(key: string, value: string): boolean {
    if (this.written.get(key) === value) {
      return false;
    }
    this.written.set(key, value);
    return true;
  }
}

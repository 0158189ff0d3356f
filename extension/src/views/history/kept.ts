/** A pool of elements, each kept while it is drawn: creating elements and laying out their text is slow. */
export class ElementPool {
  private kept = new Map<string, HTMLElement>();
  private drawn = new Map<string, HTMLElement>();

  constructor(private readonly parent: HTMLElement) {}

  /**
   * Return the element of a key; create it if there is none. A key that was already drawn gets an additional element.
   */
  draw(key: string, make: (document: Document) => HTMLElement): HTMLElement {
    let own = key;
    while (this.drawn.has(own)) {
      own += ' ';
    }
    const element =
      this.kept.get(own) ??
      this.parent.appendChild(make(this.parent.ownerDocument));
    this.drawn.set(own, element);
    return element;
  }

  /** Remove the elements that were not drawn since the previous call. */
  end(): void {
    for (const [key, element] of this.kept) {
      if (!this.drawn.has(key)) {
        element.remove();
      }
    }
    this.kept = this.drawn;
    this.drawn = new Map();
  }
}

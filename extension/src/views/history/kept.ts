/** Elements that are kept as long as they are drawn: to make them anew, and to lay out their text, takes long. */
export class KeptElements {
  private kept = new Map<string, HTMLElement>();
  private drawn = new Map<string, HTMLElement>();

  constructor(private readonly parent: HTMLElement) {}

  /** Return the element of a key, made if there is none. A key that was drawn already gets another element. */
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

  /** Remove what was not drawn since the last time. */
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

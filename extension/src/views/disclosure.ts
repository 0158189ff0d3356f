import type { Markup } from './markup';

/**
 * The facts of a picture as tables, for readers who prefer them. They are built
 * only while they are open: thousands of rows cost more than the picture.
 */
export class TableDisclosure {
  private readonly details: HTMLDetailsElement;
  private readonly summary: HTMLElement;
  private readonly content: HTMLElement;
  private tables: (() => Markup) | null = null;

  constructor(parent: HTMLElement) {
    const document = parent.ownerDocument;
    this.details = document.createElement('details');
    this.summary = document.createElement('summary');
    this.content = document.createElement('div');
    this.details.append(this.summary, this.content);
    this.details.addEventListener('toggle', () => this.fill());
    parent.append(this.details);
  }

  /** Replace the tables, at once or when they are opened. */
  update(title: string, tables: () => Markup): void {
    this.summary.textContent = title;
    this.tables = tables;
    this.fill();
  }

  private fill(): void {
    if (this.details.open && this.tables) {
      this.content.innerHTML = this.tables().text;
      this.tables = null;
    }
  }
}

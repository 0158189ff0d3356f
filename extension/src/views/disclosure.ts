import type { Markup } from './markup';

/**
 * The facts of a picture as tables, for readers who prefer them. The tables are built only while they are open:
 * thousands of rows cost more than the picture.
 */
export class TableDisclosure {
  private readonly details: HTMLDetailsElement;
  private readonly summary: HTMLElement;
  private readonly content: HTMLElement;
  private tables: (() => Markup) | null = null;

  /** `opened` is called before the tables are shown, so that it can update them. */
  constructor(parent: HTMLElement, opened?: () => void) {
    const document = parent.ownerDocument;
    this.details = document.createElement('details');
    // Hidden until it has a title: before that, it would be a control without a name.
    this.details.hidden = true;
    this.summary = document.createElement('summary');
    this.content = document.createElement('div');
    this.details.append(this.summary, this.content);
    this.details.addEventListener('toggle', () => {
      opened?.();
      this.fillOnce();
    });
    parent.append(this.details);
  }

  get isOpen(): boolean {
    return this.details.open;
  }

  rename(title: string): void {
    this.summary.textContent = title;
    this.details.hidden = false;
  }

  /** Replace the tables now if they are open, else when they are opened. */
  update(title: string, tables: () => Markup): void {
    this.rename(title);
    this.tables = tables;
    this.fillOnce();
  }

  /** Replace the tables immediately. */
  fill(tables: Markup): void {
    this.content.innerHTML = tables.text;
  }

  private fillOnce(): void {
    if (this.details.open && this.tables) {
      this.fill(this.tables());
      this.tables = null;
    }
  }
}

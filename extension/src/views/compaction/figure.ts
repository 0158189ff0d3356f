import type { DrawFigure } from '../stage';

/** The figure of the costs, for hosts that can draw figures. */
export class CostsFigure {
  private shown: string | null = null;
  private remove: (() => void) | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly draw: DrawFigure | undefined
  ) {}

  /** Show a figure with an accessible name. Return whether this host can draw it. */
  update(figure: string, name: string): boolean {
    this.element.setAttribute('role', 'figure');
    this.element.setAttribute('aria-label', name);
    if (figure !== this.shown || this.remove === null) {
      this.dispose();
      this.remove = this.draw?.(this.element, figure) ?? null;
      this.shown = figure;
    }
    return this.remove !== null;
  }

  dispose(): void {
    this.remove?.();
    this.remove = null;
  }
}

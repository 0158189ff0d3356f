import type { IThemeManager } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Panel, Widget } from '@lumino/widgets';
import type { DrawFigure } from '../views/stage';
import { pageStyle, PLOTLY_MIME, styled } from './figure';

export interface PlotNeeds {
  /** The registry in which plotly's own extension registers its renderer. */
  readonly rendermime: IRenderMimeRegistry;
  readonly themes: IThemeManager | null;
}

export function canPlot({ rendermime }: PlotNeeds): boolean {
  return rendermime.mimeTypes.includes(PLOTLY_MIME);
}

/** A plotly figure in the theme of the page. */
export class Plot extends Panel {
  constructor(
    private readonly _needs: PlotNeeds,
    private readonly _figure: unknown
  ) {
    super();
    this.addClass('pw-plot');
    this._needs.themes?.themeChanged.connect(this._redraw, this);
  }

  async draw(): Promise<void> {
    this._drawn?.dispose();
    const { rendermime } = this._needs;
    // Plotly's renderer draws only once, so each drawing needs a new renderer.
    const drawn = rendermime.createRenderer(PLOTLY_MIME);
    this._drawn = drawn;
    this.addWidget(drawn);
    const figure = styled(this._figure, pageStyle(document.body));
    const data = { [PLOTLY_MIME]: figure };
    await drawn.renderModel(rendermime.createModel({ data }));
  }

  dispose(): void {
    if (!this.isDisposed) {
      this._needs.themes?.themeChanged.disconnect(this._redraw, this);
      super.dispose();
    }
  }

  private _redraw(): void {
    void this.draw();
  }

  private _drawn: Widget | null = null;
}

/** Return the function with which views draw plotly figures in their elements. */
export function figureDrawer(needs: PlotNeeds): DrawFigure {
  return (element, figure) => {
    if (!canPlot(needs) || !element.isConnected) {
      return null;
    }
    const plot = new Plot(needs, JSON.parse(figure));
    // `Widget.detach` refuses an element that has left the document, as happens when a page is closed.
    plot.processMessage(Widget.Msg.BeforeAttach);
    element.append(plot.node);
    plot.processMessage(Widget.Msg.AfterAttach);
    const observer = new ResizeObserver(() =>
      plot.processMessage(Widget.ResizeMessage.UnknownSize)
    );
    observer.observe(element);
    void plot.draw();
    return () => {
      observer.disconnect();
      plot.processMessage(Widget.Msg.BeforeDetach);
      plot.node.remove();
      plot.processMessage(Widget.Msg.AfterDetach);
      plot.dispose();
    };
  };
}

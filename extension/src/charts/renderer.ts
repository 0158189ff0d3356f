import type { IThemeManager } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel, Widget } from '@lumino/widgets';
import type { Words } from '../views/words';
import {
  CHART_MIME,
  pageStyle,
  parseChart,
  PLOTLY_MIME,
  styled,
  type Chart
} from './figure';

interface ChartNeeds {
  readonly words: Words;
  /** Where plotly's own extension registers its renderer. */
  readonly rendermime: IRenderMimeRegistry;
  readonly themes: IThemeManager | null;
}

/** Preferred to the plotly figure of the same output, which does not follow the theme. */
const RANK = -10;

/** Draws charts in the theme of the page, with a name and the sentence that explains them. */
export function chartRenderer(needs: ChartNeeds): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [CHART_MIME],
    defaultRank: RANK,
    createRenderer: () => new ChartRenderer(needs)
  };
}

class ChartRenderer extends Panel implements IRenderMime.IRenderer {
  constructor(private readonly _needs: ChartNeeds) {
    super();
    this.addClass('pw-chart');
    this.node.setAttribute('role', 'figure');
    this._needs.themes?.themeChanged.connect(this._redraw, this);
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._model = model;
    this._clear();
    const { words, rendermime } = this._needs;
    const chart = parseChart(model.data[CHART_MIME]);
    this._describe(chart ?? { title: '', text: words.otherVersion });
    if (!chart) {
      return;
    }
    if (!rendermime.mimeTypes.includes(PLOTLY_MIME)) {
      this._add('pw-chart-problem', words.chartNeedsPlotly);
      return;
    }
    await this._draw(model.data[PLOTLY_MIME]);
  }

  dispose(): void {
    if (!this.isDisposed) {
      this._needs.themes?.themeChanged.disconnect(this._redraw, this);
      super.dispose();
    }
  }

  private _describe({ title, text }: Chart): void {
    this.node.setAttribute('aria-label', title || text);
    this._add('pw-chart-title', title);
    this._add('pw-chart-text', text);
  }

  private _add(name: string, text: string): void {
    const element = document.createElement('p');
    element.className = name;
    element.textContent = text;
    element.hidden = text === '';
    const part = new Widget({ node: element });
    this.addWidget(part);
    this._ends.push(() => part.dispose());
  }

  private async _draw(figure: unknown): Promise<void> {
    const { rendermime } = this._needs;
    // Plotly's renderer draws only once, so that each drawing needs one of its own.
    const plot = rendermime.createRenderer(PLOTLY_MIME);
    this.addWidget(plot);
    this._ends.push(() => plot.dispose());
    const data = { [PLOTLY_MIME]: styled(figure, pageStyle(document.body)) };
    await plot.renderModel(rendermime.createModel({ data }));
  }

  private _redraw(): void {
    if (this._model) {
      void this.renderModel(this._model);
    }
  }

  private _clear(): void {
    this._ends.splice(0).forEach(end => end());
  }

  private _model: IRenderMime.IMimeModel | null = null;
  private readonly _ends: (() => void)[] = [];
}

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel, Widget } from '@lumino/widgets';
import type { Words } from '../views/words';
import { CHART_MIME, parseChart, PLOTLY_MIME, type Chart } from './figure';
import { canPlot, Plot, type PlotNeeds } from './plot';

interface ChartNeeds extends PlotNeeds {
  readonly words: Words;
}

/** Ranks before the plotly figure in the same output, which does not follow the theme. */
const RANK = -10;

/** Draws charts in the theme of the page, with a title and the sentence that explains them. */
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
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._clear();
    const { words } = this._needs;
    const chart = parseChart(model.data[CHART_MIME]);
    this._describe(chart ?? { title: '', text: words.otherVersion });
    if (!chart) {
      return;
    }
    if (!canPlot(this._needs)) {
      this._add('pw-chart-problem', words.chartNeedsPlotly);
      return;
    }
    const plot = new Plot(this._needs, model.data[PLOTLY_MIME]);
    this.addWidget(plot);
    this._ends.push(() => plot.dispose());
    await plot.draw();
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

  private _clear(): void {
    this._ends.splice(0).forEach(end => end());
  }

  private readonly _ends: (() => void)[] = [];
}

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel, type Widget } from '@lumino/widgets';
import { drawModel, type HostServices } from '../viewDefinitions/draw';
import { viewDefinitions } from '../viewDefinitions/registry';
import { Texts } from '../views/texts';
import type { Words } from '../views/words';
import type { Listener } from './comms';
import { SavedModel } from './model';
import { parseSaved, SAVED_MIME } from './saved';

interface PictureNeeds extends HostServices {
  readonly words: Words;
  /** Listen to a widget of the notebook's kernel. */
  join(id: string, listener: Listener): () => void;
  /** Return the notebook's renderer for the static form of the same output. */
  html(): IRenderMime.IRenderer & Widget;
}

/** Ranks before the widget in the same output, which cannot be drawn without its kernel. */
const RANK = -20;

/** Draws the saved form of a view, which follows its table while the kernel runs. */
export function pictureRenderer(
  needs: PictureNeeds
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [SAVED_MIME],
    defaultRank: RANK,
    createRenderer: () => new PictureRenderer(needs)
  };
}

class PictureRenderer extends Panel implements IRenderMime.IRenderer {
  constructor(private readonly _needs: PictureNeeds) {
    super();
    this.addClass('pw-picture');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._clear();
    try {
      this._draw(model.data[SAVED_MIME]);
    } catch (error) {
      this._clear();
      const reason = error instanceof Error ? error.message : String(error);
      await this._showHtml(model, reason);
    }
  }

  dispose(): void {
    this._clear();
    super.dispose();
  }

  /** Throws if this version cannot draw the view. */
  private _draw(data: unknown): void {
    const { words, figure, join } = this._needs;
    const saved = parseSaved(data);
    const picture = viewDefinitions.get(saved?.kind ?? '')?.picture;
    if (!saved || !picture) {
      throw new Error(words.otherVersion);
    }
    const element = document.createElement('div');
    this.node.append(element);
    this._ends.push(() => element.remove());
    const model = new SavedModel(saved, picture, new Texts(words));
    this._ends.push(drawModel(model, element, { words, figure }));
    if (saved.model !== null) {
      this._ends.push(join(saved.model, model));
    }
  }

  private async _showHtml(
    model: IRenderMime.IMimeModel,
    reason: string
  ): Promise<void> {
    const text = document.createElement('p');
    text.className = 'pw-picture-problem';
    text.textContent = reason;
    this.node.append(text);
    const html = this._needs.html();
    this.addWidget(html);
    this._ends.push(
      () => text.remove(),
      () => html.dispose()
    );
    await html.renderModel(model);
  }

  private _clear(): void {
    this._ends.splice(0).forEach(end => end());
  }

  private readonly _ends: (() => void)[] = [];
}

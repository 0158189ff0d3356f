import type { TranslationBundle } from '@jupyterlab/translation';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { pressable } from './pressable';
import { parseLink, type SnapshotLink } from './state/snapshotLink';

const SNAPSHOT_MIME = 'application/vnd.paimon-workbench.snapshot+json';

interface LinkNeeds {
  readonly trans: TranslationBundle;
  open(link: SnapshotLink): void;
  /** Called when a link is rendered: its kernel may use a different environment than the server. */
  rendered(): void;
}

/** Ranks before the HTML in the same output, which is for front ends without this extension. */
const RANK = 10;

/** Renders the output of a write as its message and a button that opens the snapshot. */
export function snapshotRenderer(
  needs: LinkNeeds
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [SNAPSHOT_MIME],
    defaultRank: RANK,
    createRenderer: options => new SnapshotRenderer(options.mimeType, needs)
  };
}

class SnapshotRenderer extends Widget implements IRenderMime.IRenderer {
  constructor(
    private readonly _mimeType: string,
    private readonly _needs: LinkNeeds
  ) {
    super();
    this.addClass('pw-snapshot-link');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const link = parseLink(model.data[this._mimeType]);
    const { trans } = this._needs;
    const text = document.createElement('span');
    if (!link) {
      text.textContent = trans.__(
        'This output has no valid link to a snapshot.'
      );
      this.node.replaceChildren(text);
      return;
    }
    text.textContent = link.message;
    const button = pressable(document.createElement('button'));
    button.type = 'button';
    button.className = 'pw-link-button';
    button.textContent = trans.__(
      'Open snapshot %1 of %2',
      link.snapshot,
      `${link.database}.${link.table}`
    );
    button.addEventListener('click', () => this._needs.open(link));
    this.node.replaceChildren(text, button);
    this._needs.rendered();
  }
}

import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

interface ActionButtonProps {
  readonly icon: LabIcon;
  readonly label: string;
  onClick(): void;
}

/** A button with an icon and its label. */
export function ActionButton({ icon, label, onClick }: ActionButtonProps) {
  return (
    <button type="button" className="jp-Button pw-button" onClick={onClick}>
      <icon.react tag="span" />
      {label}
    </button>
  );
}

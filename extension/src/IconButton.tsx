import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

interface IconButtonProps {
  readonly icon: LabIcon;
  readonly label: string;
  readonly disabled?: boolean;
  onClick(): void;
}

export function IconButton(props: IconButtonProps): React.ReactElement {
  return (
    <button
      type="button"
      className="pw-icon-button"
      title={props.label}
      aria-label={props.label}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      <props.icon.react tag="span" />
    </button>
  );
}

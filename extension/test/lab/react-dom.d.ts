/** The part of React DOM that tests use; JupyterLab includes React DOM, but not its types. */
declare module 'react-dom/client' {
  import type { ReactElement } from 'react';

  export function createRoot(container: Element): {
    render(element: ReactElement): void;
    unmount(): void;
  };
}

/** Let Enter and Space press a button in an output, which are shortcuts of the notebook around it. */
export function pressable(button: HTMLButtonElement): HTMLButtonElement {
  button.addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.stopPropagation();
    }
  });
  return button;
}

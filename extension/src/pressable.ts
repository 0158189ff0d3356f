/** Make Enter and Space press a button in an output; otherwise, the surrounding notebook handles them as shortcuts. */
export function pressable(button: HTMLButtonElement): HTMLButtonElement {
  button.addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.stopPropagation();
    }
  });
  return button;
}

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]'

/** Moves the focus to the next visible `[data-pane]` of the page, like F6 in desktop programs. */
export function cyclePanes(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.offsetWidth > 0)
  const at = panes.findIndex((pane) => pane.contains(document.activeElement))
  const next = panes.at((Math.max(at, step === 1 ? -1 : 0) + step + panes.length) % panes.length)
  const inside = next?.querySelector<HTMLElement>('[data-pane-focus]') ?? next?.querySelector<HTMLElement>(FOCUSABLE)
  const target = inside ?? next
  target?.focus()
}

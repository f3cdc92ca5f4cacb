import type { KeyboardEvent } from 'react'

/** Marks a form in which Enter goes on to the next field. */
export const STEPPED_FORM = { 'data-enter': 'next' } as const

/** Segmented controls are no fields here: they have a value from the start, and Enter chooses in them. */
const FIELDS = 'input:not([type=hidden]), textarea, select, [contenteditable=true], button[role=combobox]'

/**
 * Enter in a dialog with several fields. Enter in a field goes on to the next one, so that no dialog is sent before its
 * later fields were seen; in the last field, and in the only one, it submits. Ctrl+Enter submits from any field. A held
 * key counts once.
 */
export function pressEnter(event: KeyboardEvent<HTMLFormElement>, submit: () => void): void {
  if (event.key !== 'Enter' || event.defaultPrevented || event.nativeEvent.isComposing || event.altKey) return
  // A dialog on top of this one is not inside the form, but its events pass through it.
  if (!(event.target instanceof HTMLElement) || !event.currentTarget.contains(event.target)) return
  const isShortcut = event.ctrlKey || event.metaKey
  if (!isShortcut && !(event.target instanceof HTMLInputElement)) return
  event.preventDefault()
  event.stopPropagation()
  if (!event.repeat && (isShortcut || !goToNextField(event.target))) submit()
}

/**
 * Moves the focus to the field after this one, as Enter does in a dialog with several fields.
 *
 * @returns whether there was one: false in the last field, and in a form where Enter submits
 */
export function goToNextField(field: HTMLElement | null): boolean {
  const form = field?.closest<HTMLElement>('form[data-enter=next]')
  if (field == null || form == null) return false
  const fields = [...form.querySelectorAll<HTMLElement>(FIELDS)].filter((one) => one === field || isNextFor(field, one))
  const next = fields[fields.indexOf(field) + 1]
  if (next === undefined) return false
  next.focus()
  if (next instanceof HTMLInputElement) next.select()
  return true
}

function isNextFor(field: HTMLElement, other: HTMLElement): boolean {
  if (other.matches(':disabled, [tabindex="-1"]') || other.closest('[hidden], [inert], details:not([open])') !== null)
    return false
  if (!isRadio(other)) return true
  // The choices of one question are one field.
  return !(isRadio(field) && field.name === other.name) && (other.checked || !hasChoice(other))
}

function isRadio(field: HTMLElement): field is HTMLInputElement {
  return field instanceof HTMLInputElement && field.type === 'radio'
}

function hasChoice({ form, name }: HTMLInputElement): boolean {
  const named = form?.elements.namedItem(name)
  return named instanceof RadioNodeList && named.value !== ''
}

import { ChevronDown } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { moveActive, type SelectOption, searchOptions } from '#lib/select.ts'
import { goToNextField } from './enter-key.ts'
import { CONTROL, FormField } from './field.tsx'
import { layerCode, useLayer } from './lazy.tsx'

export interface ComboboxProps extends Omit<ComponentProps<'input'>, 'onChange' | 'ref' | 'type' | 'value'> {
  value: string
  onChange: (text: string) => void
  /** Listed while the user types; any other text is allowed too. */
  suggestions: readonly string[]
}

const code = layerCode(async () => (await import('./select-layer.tsx')).SelectLayer)

/** Longer lists are cut; typing finds the rest. */
const MAX_LISTED = 200

/**
 * A text field with suggestions. A press or an arrow lists them, typing narrows them, Enter takes the marked one, and goes
 * on to the next field of a dialog.
 */
export function Combobox({ value, onChange, suggestions, className, ...input }: ComboboxProps) {
  const field = useRef<HTMLInputElement>(null)
  const listId = useId()
  const list = useSuggestions(suggestions)
  const Layer = useLayer(code, list.isOpen, list.close)
  const isShown = list.isOpen && Layer !== undefined && list.found.length > 0

  function choose(option: SelectOption | undefined) {
    list.close()
    if (option === undefined) return
    field.current?.focus({ preventScroll: true })
    if (option.value !== value) onChange(option.value)
  }
  function press(event: KeyboardEvent<HTMLInputElement>) {
    input.onKeyDown?.(event)
    if (event.nativeEvent.isComposing || event.metaKey || event.ctrlKey || event.altKey) return
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    if (!isShown) {
      if (!isArrow || suggestions.length === 0) return
      event.preventDefault()
      return list.open()
    }
    // What the list uses is not meant for a dialog or a form around the field.
    if (isArrow || event.key.startsWith('Page')) {
      event.preventDefault()
      event.stopPropagation()
      list.setActive(moveActive(list.found, list.active, event.key) ?? list.active)
    } else if (event.key === 'Escape' || (event.key === 'Enter' && list.active >= 0)) {
      event.preventDefault()
      event.stopPropagation()
      choose(event.key === 'Enter' ? list.found[list.active] : undefined)
      if (event.key === 'Enter') goToNextField(field.current)
    } else if (event.key === 'Tab' || event.key === 'Enter') list.close()
  }
  return (
    <span className={cx('relative flex min-w-0', className)}>
      <input
        dir="auto"
        spellCheck={false}
        autoComplete="off"
        {...input}
        ref={field}
        role="combobox"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown && list.active >= 0 ? `${listId}-${list.active}` : undefined}
        value={value}
        onChange={(event) => {
          onChange(event.target.value)
          list.search(event.target.value)
        }}
        onPointerEnter={() => void code.load()}
        onFocus={() => void code.load()}
        onClick={() => !input.readOnly && list.open()}
        onKeyDown={press}
        className={cx(CONTROL, 'pr-7')}
      />
      {suggestions.length > 0 && (
        <ChevronDown
          size={13}
          aria-hidden
          className="pointer-events-none absolute right-2 top-1/2 -translate-y-1/2 text-fg-subtle"
        />
      )}
      {isShown && (
        <Layer
          trigger={field}
          listId={listId}
          label="Suggestions"
          options={list.found}
          value={value}
          active={list.active}
          onActive={list.setActive}
          onChoose={(index) => choose(list.found[index])}
          onClose={list.close}
          onKeyDown={() => undefined}
        />
      )}
    </span>
  )
}

/** The listed suggestions. All are listed until the user types. */
function useSuggestions(suggestions: readonly string[]) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [active, setActive] = useState(-1)
  const found = useMemo(() => {
    const options = suggestions.map((name): SelectOption => ({ value: name, label: name }))
    const listed = searchOptions(options, text).slice(0, MAX_LISTED)
    // The only suggestion is what was typed.
    return listed.length === 1 && listed[0]?.value === text ? [] : listed
  }, [suggestions, text])
  function show(search: string) {
    setText(search)
    setActive(-1)
    setOpen(true)
  }
  return { isOpen, found, active, setActive, open: () => show(''), search: show, close: () => setOpen(false) }
}

interface NameFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** Existing names, suggested while the user types. */
  names: readonly string[]
  /** Shown if the typed name does not exist. */
  whenNew?: string
  placeholder?: string
}

/** A field for an existing or a new name. */
export function NameField({ label, names, whenNew, ...field }: NameFieldProps) {
  const name = field.value.trim()
  return (
    <FormField label={label} hint={name === '' || names.includes(name) ? undefined : whenNew}>
      {(props) => <Combobox {...props} {...field} required suggestions={names} />}
    </FormField>
  )
}

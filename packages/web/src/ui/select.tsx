import { ChevronDown } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { findTyped, moveActive, needsSearch, type SelectOption, searchOptions } from '#lib/select.ts'
import { goToNextField } from './enter-key.ts'
import { layerCode, onApproach, useLayer } from './lazy.tsx'

export interface SelectProps<Value extends string> {
  options: readonly SelectOption<Value>[]
  /** The value of an option. '' shows the placeholder unless an option has it; another unknown value is shown as it is. */
  value: string
  onChange: (value: Value) => void
  /** Shown while nothing is chosen. */
  placeholder?: string
  /** `form`: 32 px high, as wide as its place; `toolbar`: 28 px; `small`: 24 px. All are 40 px on touch screens. @default 'form' */
  size?: 'form' | 'toolbar' | 'small'
  /** Width and margins. */
  className?: string
  id?: string
  disabled?: boolean | undefined
  title?: string | undefined
  'aria-label'?: string | undefined
  'aria-describedby'?: string | undefined
  'aria-invalid'?: boolean
}

const SIZES = {
  form: 'flex h-8 w-full border-border-strong px-2 text-form',
  toolbar: 'inline-flex h-7 max-w-48 shrink-0 border-border px-2 text-row',
  small: 'inline-flex h-6 border-border px-1.5 text-meta',
}

const LOOK =
  'min-w-0 cursor-default select-none items-center justify-between gap-1 rounded-control border bg-surface text-left text-fg aria-[expanded=true]:border-accent aria-[invalid=true]:border-err disabled:bg-sunken disabled:text-fg-muted coarse:h-10'

const code = layerCode(async () => (await import('./select-layer.tsx')).SelectLayer)

/** How long typed letters belong together. */
const TYPING_MS = 800

/**
 * A field with one of several options. It works as a native select: while it is closed, letters choose, arrows and Space
 * open it, and Enter submits the form. Lists from 10 options on have a search field.
 */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, value, placeholder, size = 'form', className, id, disabled, title } = props
  const listId = useId()
  const { trigger, list, isOpen, toggle, close, choose, onKeyDown } = useSelect(props)
  const Layer = useLayer(code, isOpen, list.close)
  const isShown = isOpen && Layer !== undefined
  const chosen = options.find((option) => option.value === value)
  return (
    <>
      <button
        ref={trigger}
        type="button"
        role="combobox"
        id={id}
        title={title}
        disabled={disabled}
        aria-label={props['aria-label']}
        aria-describedby={props['aria-describedby']}
        aria-invalid={props['aria-invalid'] || undefined}
        aria-haspopup="listbox"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown && list.active >= 0 ? `${listId}-${list.active}` : undefined}
        {...onApproach(() => void code.preload())}
        onClick={toggle}
        onKeyDown={onKeyDown}
        className={cx(LOOK, SIZES[size], className)}
      >
        <span dir="auto" className={cx('min-w-0 truncate', !chosen && value === '' && 'text-fg-subtle')}>
          {chosen?.label ?? (value || placeholder || '\u00a0')}
        </span>
        <ChevronDown size={13} className="shrink-0 text-fg-subtle" aria-hidden />
      </button>
      {isShown && (
        <Layer
          trigger={trigger}
          listId={listId}
          label={props['aria-label']}
          options={list.found}
          value={value}
          active={list.active}
          onActive={list.setActive}
          onChoose={(index) => choose(list.found[index])}
          onClose={(hasFocus) => (hasFocus ? close() : list.close())}
          onKeyDown={onKeyDown}
          {...(needsSearch(options) && { search: { text: list.search, onChange: list.setSearch } })}
        />
      )}
    </>
  )
}

/** What keys and presses do. The focus stays in the field or in the search of its list. */
function useSelect<Value extends string>({ options, value, onChange }: SelectProps<Value>) {
  const trigger = useRef<HTMLButtonElement>(null)
  const list = useOptionsList(options, value)
  const { isOpen } = list
  const findLetters = useTypedLetters()

  function open() {
    // A press does not focus buttons in Safari, nor where the page keeps the focus elsewhere.
    trigger.current?.focus({ preventScroll: true })
    list.open()
  }
  function close() {
    list.close()
    trigger.current?.focus({ preventScroll: true })
  }
  function choose(option: SelectOption<Value> | undefined) {
    if (option === undefined || option.disabled) return
    close()
    if (option.value !== value) onChange(option.value)
  }
  function findTypedOption(event: KeyboardEvent, among: readonly SelectOption[], at: number): number | undefined {
    const typed = findLetters(event)
    if (typed === undefined) return undefined
    event.preventDefault()
    return findTyped(among, typed, at)
  }
  function pressClosed(event: KeyboardEvent) {
    if (event.key === 'Enter' && (goToNextField(trigger.current) || submit(trigger.current?.form)))
      return event.preventDefault()
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      return open()
    }
    const at = options.findIndex((option) => option.value === value)
    const index = findTypedOption(event, options, at)
    if (index !== undefined) choose(options[index])
  }
  function pressOpen(event: KeyboardEvent) {
    // What the list uses is not meant for a table or a form around the field.
    event.stopPropagation()
    const isSearching = event.target !== trigger.current
    const isOfText = isSearching && ['Home', 'End', ' '].includes(event.key)
    const next = isOfText ? undefined : moveActive(list.found, list.active, event.key)
    if (next !== undefined) {
      event.preventDefault()
      list.setActive(next)
    } else if (event.key === 'Enter' || (event.key === ' ' && !isSearching && list.search === '')) {
      event.preventDefault()
      choose(list.found[list.active])
    } else if (event.key === 'Escape') {
      event.preventDefault()
      close()
    } else if (event.key === 'Tab') {
      choose(list.found[list.active])
      // The browser moves on from the field, also when the search had the focus.
      close()
    } else if (!isSearching && needsSearch(options)) {
      // The field has the focus while the code of the list loads, and always on touch screens.
      const text = typeInto(list.search, event)
      if (text === undefined) return
      event.preventDefault()
      list.setSearch(text)
    } else if (!isSearching) {
      const index = findTypedOption(event, list.found, list.active)
      if (index !== undefined) list.setActive(index)
    }
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return
    if (isOpen) pressOpen(event)
    else pressClosed(event)
  }
  return { trigger, list, isOpen, toggle: () => (isOpen ? close() : open()), close, choose, onKeyDown }
}

/** Submits the form around the field, as Enter does in a native select. @returns whether there is a form with a button for it */
function submit(form: HTMLFormElement | null | undefined): boolean {
  const button = [...(form?.elements ?? [])].find(
    (element) => element instanceof HTMLButtonElement && element.type === 'submit',
  )
  if (!(button instanceof HTMLButtonElement)) return false
  if (!button.disabled) form?.requestSubmit(button)
  return true
}

/** Whether the list is open, its search, and the option that the keyboard is on. */
function useOptionsList<Value extends string>(options: readonly SelectOption<Value>[], value: string) {
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(-1)
  const found = searchOptions(options, search)
  return {
    isOpen,
    search,
    found,
    active,
    setActive,
    close: () => setOpen(false),
    open() {
      setSearch('')
      const at = options.findIndex((option) => option.value === value)
      setActive(at >= 0 ? at : (moveActive(options, -1, 'Home') ?? -1))
      setOpen(true)
    },
    setSearch(text: string) {
      setSearch(text)
      setActive(moveActive(searchOptions(options, text), -1, 'Home') ?? -1)
    },
  }
}

/** @returns a text after a key, or undefined if the key does not change it */
function typeInto(text: string, { key, altKey }: KeyboardEvent): string | undefined {
  if (key === 'Backspace') return text.slice(0, -1)
  return key.length === 1 && !altKey ? text + key : undefined
}

/** Joins letters that are typed one after the other. */
function useTypedLetters() {
  const typed = useRef('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  /** @returns all letters typed in a row, or undefined if the key is not a letter */
  return (event: KeyboardEvent): string | undefined => {
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
    // A space opens the list, or chooses; inside a word it is a letter.
    if (!isLetter || (event.key === ' ' && typed.current === '')) return undefined
    clearTimeout(timer.current)
    typed.current += event.key
    timer.current = setTimeout(() => {
      typed.current = ''
    }, TYPING_MS)
    return typed.current
  }
}

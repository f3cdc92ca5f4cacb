import { FilterError } from '@touchstone/contract/filter'
import { Search } from 'lucide-react'
import { type KeyboardEvent, type Ref, useId, useState } from 'react'
import type { Filters } from '#lib/filter/chips.ts'
import { applyChoice, fieldChoices, findCompletion, fixedChoices } from '#lib/filter/complete.ts'
import { isCall, parseQuickFilter, type Typed } from '#lib/filter/quick.ts'
import { MarkedInput } from '#ui/marked-field.tsx'
import { type Option, OptionsList, type Suggest, useSuggestions } from './suggestions.tsx'
import { usePending } from './use-pending.ts'

export interface QuickInputProps {
  inputRef: Ref<HTMLInputElement>
  filters: Filters
  suggest: Suggest
  onTyped: (typed: Typed) => void
  /** Learns whether there is text. */
  onPending?: ((isPending: boolean) => void) | undefined
  /** Backspace or ArrowLeft in an empty field moves the focus to the chips. */
  onLeave: () => void
}

/** Text field with completion; Enter turns the text into chips. */
export function QuickInput({ inputRef, ...props }: QuickInputProps) {
  const id = useId()
  const { text, active, error, completion, options, setCaret, setOpen, write, pick, onKeyDown } = useQuickInput(props)
  return (
    <div className="relative min-w-40 flex-1 basis-48">
      <div className="flex items-center gap-1.5 rounded-control px-1 outline-accent has-[:focus-visible]:outline-2">
        <Search size={13} aria-hidden className="shrink-0 text-fg-subtle" />
        <MarkedInput
          ref={inputRef}
          role="combobox"
          aria-label="Add filter"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-options`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${id}-options-${active}` : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder="Filter: type:llm latency:>5s -tag:dev refund"
          value={text}
          markAt={error?.position}
          textClassName="h-7 leading-7 text-row outline-none placeholder:text-fg-subtle coarse:h-10"
          className="min-w-0 flex-1"
          onChange={(event) => write(event.target.value, event.target.selectionStart ?? event.target.value.length)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
      </div>
      {options.length > 0 && (
        <div className="absolute left-0 top-full z-40 mt-1 w-max min-w-64 max-w-[min(480px,calc(100vw-32px))] animate-layer rounded-card border border-border bg-surface p-1 shadow-layer">
          <OptionsList
            id={`${id}-options`}
            label={completion.kind === 'field' ? 'Fields' : completion.kind === 'key' ? 'Keys' : 'Values'}
            options={options}
            active={active}
            onPick={pick}
          />
        </div>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="pb-1 pl-5 text-meta text-err">
          {toSentence(error.reason)}
        </p>
      )}
    </div>
  )
}

/** State and keyboard of the text field: completion, suggestions and turning the text into chips. */
function useQuickInput({ filters, suggest, onTyped, onPending, onLeave }: Omit<QuickInputProps, 'inputRef'>) {
  const [text, setText] = useState('')
  const [caret, setCaret] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const [error, setError] = useState<FilterError>()
  usePending(text.trim() !== '', onPending)

  const completion = findCompletion(text, caret)
  const isLanguage = isCall(text)
  const asksData = isOpen && !isLanguage && completion.kind !== 'field'
  const observed = useSuggestions(
    suggest,
    {
      kind: completion.kind === 'key' ? 'key' : 'value',
      subject: completion.subject,
      key: completion.key,
      contains: completion.typed,
    },
    filters,
    asksData,
  )
  const options = !isOpen || isLanguage ? [] : toOptions(completion, observed)

  function write(next: string, at: number) {
    setText(next)
    setCaret(at)
    setActive(-1)
    setError(undefined)
    setOpen(true)
  }
  function commit(written: string) {
    try {
      const typed = parseQuickFilter(written)
      if (typed.length > 0) onTyped(typed)
      write('', 0)
      setOpen(false)
    } catch (cause) {
      if (!(cause instanceof FilterError)) throw cause
      setError(cause)
      setOpen(false)
    }
  }
  function pick(option: Option) {
    const next = applyChoice(text, completion, option.id)
    if (completion.kind === 'value') commit(next.text)
    else {
      const insert = completion.kind === 'key' ? { text: `${next.text}:`, caret: next.caret + 1 } : next
      write(insert.text, insert.caret)
    }
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const isAtStart = event.currentTarget.selectionStart === 0 && event.currentTarget.selectionEnd === 0
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!isOpen) return setOpen(true)
      const by = event.key === 'ArrowDown' ? 1 : -1
      setActive((at) =>
        options.length === 0 ? -1 : (at + by + options.length + (at < 0 && by < 0 ? 1 : 0)) % options.length,
      )
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const option = options[active]
      if (option) pick(option)
      else commit(text)
    } else if (event.key === 'Tab' && !event.shiftKey && completion.typed !== '' && options.length > 0) {
      event.preventDefault()
      const option = options[Math.max(active, 0)]
      if (option) pick(option)
    } else if (event.key === 'Escape') {
      if (isOpen && options.length > 0) setOpen(false)
      else event.currentTarget.blur()
    } else if ((event.key === 'Backspace' || event.key === 'ArrowLeft') && isAtStart) {
      onLeave()
    }
  }

  return { text, active, error, completion, options, setCaret, setOpen, write, pick, onKeyDown }
}

/** The mark under the text shows the position. */
function toSentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1)
}

function toOptions(
  completion: ReturnType<typeof findCompletion>,
  observed: readonly { value: string; n: number }[],
): Option[] {
  if (completion.kind === 'field') {
    return fieldChoices(completion.typed).map(({ insert, label, note }) => ({ id: insert, label, note }))
  }
  const fixed = completion.kind === 'value' ? fixedChoices(completion.subject) : undefined
  if (fixed) return fixed.filter((one) => one.startsWith(completion.typed)).map((one) => ({ id: one, label: one }))
  return observed.map(({ value, n }) => ({ id: value, label: value, count: n }))
}

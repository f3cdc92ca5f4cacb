import { FilterError, parseClauses } from '@touchstone/contract/filter'
import { type KeyboardEvent, useId, useState } from 'react'
import { FILTER_SCOPES, type FilterScope, type Filters } from '#lib/filter/chips.ts'
import { Button } from '#ui/button.tsx'
import { MarkedArea } from '#ui/marked-field.tsx'
import { SCOPE_LABELS } from './chip-editor.tsx'
import { usePending } from './use-pending.ts'

export interface TextEditorProps {
  filters: Filters
  /** Learns whether the text differs from the filters. */
  onPending?: ((isPending: boolean) => void) | undefined
  onApply: (filters: Filters) => void
  onClose: () => void
}

/** The filters as the API takes them, one text field per scope. */
export function TextEditor({ filters, onPending, onApply, onClose }: TextEditorProps) {
  const [texts, setTexts] = useState(filters)
  const [wanted] = useState(() => FILTER_SCOPES.filter((scope) => scope === 'run' || filters[scope]))
  const [shown, setShown] = useState<readonly FilterScope[]>(wanted)
  const problems = new Map(FILTER_SCOPES.map((scope) => [scope, validateText(texts[scope] ?? '')]))
  // Text with a syntax error cannot become chips again. Unknown fields are left to the server's validation.
  const isBroken = [...problems.values()].some((problem) => problem?.isBroken)

  usePending(
    isBroken || FILTER_SCOPES.some((scope) => (texts[scope] ?? '').trim() !== (filters[scope] ?? '').trim()),
    onPending,
  )

  function apply() {
    if (isBroken) return
    onApply(Object.fromEntries(FILTER_SCOPES.map((scope) => [scope, texts[scope]?.trim() || undefined])))
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      apply()
    } else if (event.key === 'Escape') onClose()
  }
  return (
    <form
      aria-label="Filter as text"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
      className="flex min-w-0 flex-1 flex-col gap-1 py-1"
    >
      {shown.map((scope) => (
        <ScopeField
          key={scope}
          label={SCOPE_LABELS[scope]}
          text={texts[scope] ?? ''}
          problem={problems.get(scope)}
          autoFocus={scope === 'run'}
          onChange={(text) => setTexts((kept) => ({ ...kept, [scope]: text }))}
          onKeyDown={onKeyDown}
        />
      ))}
      <div className="flex flex-wrap items-center gap-1.5">
        <Button type="submit" look="primary" disabled={isBroken}>
          Apply
        </Button>
        <Button look="quiet" onClick={onClose}>
          Back to chips
        </Button>
        {FILTER_SCOPES.filter((scope) => !shown.includes(scope)).map((scope) => (
          <Button key={scope} look="quiet" onClick={() => setShown((kept) => [...kept, scope])}>
            + {SCOPE_LABELS[scope]}
          </Button>
        ))}
      </div>
    </form>
  )
}

interface ScopeFieldProps {
  label: string
  text: string
  problem: Problem | undefined
  autoFocus: boolean
  onChange: (text: string) => void
  onKeyDown: (event: KeyboardEvent) => void
}

function ScopeField({ label, text, problem, autoFocus, onChange, onKeyDown }: ScopeFieldProps) {
  const id = useId()
  return (
    <div className="flex min-w-0 flex-col gap-0.5 sm:flex-row sm:gap-2">
      <label htmlFor={id} className="w-24 shrink-0 py-1 text-meta text-fg-muted">
        {label}
      </label>
      <div className="min-w-0 flex-1">
        <MarkedArea
          id={id}
          autoFocus={autoFocus}
          spellCheck={false}
          value={text}
          markAt={problem?.position}
          placeholder='and(eq(run_type, "llm"), gt(latency, "5s"))'
          aria-describedby={problem ? `${id}-problem` : undefined}
          textClassName="px-2 py-1 font-mono text-row"
          className="rounded-control border border-border-strong bg-surface"
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {problem && (
          <p id={`${id}-problem`} role="alert" className="pt-0.5 text-meta text-err">
            {problem.message}
          </p>
        )}
      </div>
    </div>
  )
}

interface Problem {
  position: number
  message: string
  /** The text has a syntax error, not only an unknown field. */
  isBroken: boolean
}

function validateText(text: string): Problem | undefined {
  try {
    const wrong = parseClauses(text).find(({ error }) => error !== undefined)?.error
    return wrong && { position: wrong.position, message: wrong.message, isBroken: false }
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    return { position: error.position, message: error.message, isBroken: true }
  }
}

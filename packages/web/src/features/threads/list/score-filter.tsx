import { useQuery } from '@tanstack/react-query'
import { Gauge, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { feedbackKeyQuery } from '#features/feedback/configs/queries.ts'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { FIELD, Field } from '#ui/field.tsx'
import { Popover } from '#ui/popover.tsx'
import { Select } from '#ui/select.tsx'
import {
  addScoreCondition,
  checkScoreCondition,
  listScoreChips,
  needsValue,
  SCORE_TESTS,
  type ScoreCondition,
  type ScoreTest,
} from './score-conditions.ts'

const TEST_OPTIONS = Object.entries(SCORE_TESTS).map(([test, label]) => ({ value: test as ScoreTest, label }))

export interface ScoreFilterProps {
  /** A filter on threads, as stored in the URL. */
  filter: string | undefined
  /** Keys of the scores of the listed threads. */
  keys: readonly string[]
  onChange: (filter: string | undefined) => void
}

/** Filters threads by the scores on them and on their turns. */
export function ScoreFilter({ filter, keys, onChange }: ScoreFilterProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {listScoreChips(filter).map(({ label, rest }) => (
        <span
          key={label}
          className="inline-flex h-7 max-w-64 items-center rounded-control border border-accent bg-selected pl-2 text-row coarse:h-10"
        >
          <span className="truncate" title={label}>
            {label}
          </span>
          <button
            type="button"
            aria-label={`Remove ${label}`}
            onClick={() => onChange(rest)}
            className="inline-flex h-full w-6 shrink-0 items-center justify-center rounded-control text-fg-muted hover:text-fg coarse:w-10"
          >
            <X size={12} aria-hidden />
          </button>
        </span>
      ))}
      <Popover
        label="Filter by score"
        open={isOpen}
        onOpenChange={setOpen}
        className="w-[min(320px,calc(100vw-16px))] p-3"
        trigger={
          <Button>
            <Gauge size={13} aria-hidden />
            Score
          </Button>
        }
      >
        <ScoreForm
          keys={keys}
          onApply={(condition) => {
            setOpen(false)
            onChange(addScoreCondition(filter, condition))
          }}
        />
      </Popover>
    </>
  )
}

interface ScoreFormProps {
  keys: readonly string[]
  onApply: (condition: ScoreCondition) => void
}

function ScoreForm({ keys, onApply }: ScoreFormProps) {
  const used = useQuery(feedbackKeyQuery.usage())
  const known = [...new Set([...keys, ...(used.data?.keys ?? []).map(({ feedback_key }) => feedback_key)])]
  const [condition, setCondition] = useState<ScoreCondition>({ key: keys[0] ?? '', test: 'gte', value: '' })
  const [problem, setProblem] = useState<string>()
  const change = (part: Partial<ScoreCondition>) => setCondition({ ...condition, ...part })
  function apply(event: FormEvent) {
    event.preventDefault()
    const found = checkScoreCondition(condition)
    setProblem(found)
    if (found === undefined) onApply(condition)
  }
  return (
    <form onSubmit={apply} noValidate className="flex flex-col gap-3">
      <Field label="Key">
        <Combobox value={condition.key} onChange={(key) => change({ key })} suggestions={known} />
      </Field>
      <div className="flex gap-2">
        <Field label="Condition" className="flex-1">
          <Select value={condition.test} onChange={(test) => change({ test })} options={TEST_OPTIONS} />
        </Field>
        {needsValue(condition.test) && (
          <Field label={condition.test === 'label' ? 'Label' : 'Score'} className="w-28">
            <input
              value={condition.value}
              inputMode={condition.test === 'label' ? 'text' : 'decimal'}
              onChange={(event) => change({ value: event.target.value })}
              className={FIELD}
            />
          </Field>
        )}
      </div>
      <p className="text-meta text-fg-muted">A score on the thread or on one of its turns.</p>
      {problem !== undefined && (
        <p role="alert" className="text-row text-err">
          {problem}
        </p>
      )}
      <Button type="submit" look="primary" className="self-end">
        Apply
      </Button>
    </form>
  )
}

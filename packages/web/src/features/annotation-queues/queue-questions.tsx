import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { Button, IconButton } from '#ui/button.tsx'
import { CONTROL, FormField, TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { findQuestionProblem, moveQuestion, newQuestion, type QuestionDraft } from './queue-settings.ts'

interface QuestionFieldsProps {
  questions: readonly QuestionDraft[]
  onChange: (questions: readonly QuestionDraft[]) => void
}

/** The questions of the rubric: edited, ordered, added and removed. */
export function QuestionFields({ questions, onChange }: QuestionFieldsProps) {
  const added = useRef(0)
  function add() {
    added.current += 1
    onChange([...questions, newQuestion(`new ${added.current}`)])
  }
  return (
    <section aria-label="Questions" className="flex flex-col gap-2">
      <h3 className="text-row text-fg-muted">Questions</h3>
      {questions.map((question, index) => (
        <QuestionField
          key={question.id}
          number={index + 1}
          question={question}
          problem={isUntouched(question) ? undefined : findQuestionProblem(question, questions)}
          isLast={index === questions.length - 1}
          onChange={(change) => onChange(questions.map((one) => (one === question ? { ...one, ...change } : one)))}
          onMove={(by) => onChange(moveQuestion(questions, index, by))}
          onRemove={() => onChange(questions.filter((one) => one !== question))}
        />
      ))}
      <Button className="self-start" onClick={add}>
        <Plus size={13} aria-hidden />
        Add question
      </Button>
    </section>
  )
}

/** A question that was added and has no text yet. Saving waits for it, but nothing is wrong with it. */
const isUntouched = ({ original, key, description }: QuestionDraft) =>
  original === undefined && key === '' && description === ''

interface QuestionFieldProps {
  /** From 1. */
  number: number
  question: QuestionDraft
  problem: string | undefined
  isLast: boolean
  onChange: (change: Partial<QuestionDraft>) => void
  onMove: (by: 1 | -1) => void
  onRemove: () => void
}

const KINDS: readonly { value: QuestionDraft['kind']; label: string }[] = [
  { value: 'config', label: 'As configured for the key' },
  { value: 'options', label: 'One of several options' },
  { value: 'assertion', label: 'Holds or does not hold' },
]

const HINTS: Partial<Record<QuestionDraft['kind'], string>> = {
  config: 'A number, if nothing is configured for the key.',
}

function QuestionField({ number, question, problem, isLast, onChange, onMove, onRemove }: QuestionFieldProps) {
  const name = question.key || `question ${number}`
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-card border border-border p-3">
      <legend className="sr-only">Question {number}</legend>
      <div className="flex items-end gap-2">
        <TextField
          label={`${number}. Feedback key`}
          className="min-w-0 flex-1"
          value={question.key}
          maxLength={180}
          isCode
          placeholder="For example correctness"
          onChange={(key) => onChange({ key })}
        />
        <IconButton icon={ArrowUp} label={`Move ${name} up`} disabled={number === 1} onClick={() => onMove(-1)} />
        <IconButton icon={ArrowDown} label={`Move ${name} down`} disabled={isLast} onClick={() => onMove(1)} />
        <IconButton icon={Trash2} label={`Remove ${name}`} onClick={onRemove} />
      </div>
      <TextField
        label="Description"
        value={question.description}
        placeholder="What to look at, for example: Are all facts right?"
        onChange={(description) => onChange({ description })}
      />
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <FormField label="Answer" hint={HINTS[question.kind]} className="min-w-56 flex-1">
          {(props) => (
            <Select {...props} value={question.kind} onChange={(kind) => onChange({ kind })} options={KINDS} />
          )}
        </FormField>
        <label className="mt-5 flex h-8 items-center gap-1.5 text-row coarse:h-10">
          <input
            type="checkbox"
            checked={question.isRequired}
            onChange={(event) => onChange({ isRequired: event.target.checked })}
          />
          Required
        </label>
      </div>
      {question.kind === 'options' && (
        <FormField label="Options, one per line: score = meaning">
          {(props) => (
            <textarea
              {...props}
              rows={3}
              value={question.options}
              placeholder={'1 = right\n0.5 = partly\n0 = wrong'}
              onChange={(event) => onChange({ options: event.target.value })}
              className={`${CONTROL} !h-auto resize-y py-1.5 font-mono`}
            />
          )}
        </FormField>
      )}
      {problem !== undefined && <p className="text-row text-err">{problem}</p>}
    </fieldset>
  )
}

import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '#ui/button.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { type FeedbackDraft, type FeedbackType, type JudgeDraft, NEW_FEEDBACK } from '../draft.ts'

const TYPES: readonly { value: FeedbackType; label: string }[] = [
  { value: 'boolean', label: 'True or false' },
  { value: 'number', label: 'Number' },
  { value: 'category', label: 'Category' },
]

interface FeedbackFieldsProps {
  draft: JudgeDraft
  problems: Readonly<Record<string, string>>
  onChange: (part: Partial<JudgeDraft>) => void
}

/** What the judge answers: feedback keys with their type, range or categories. */
export function FeedbackFields({ draft, problems, onChange }: FeedbackFieldsProps) {
  const { feedback, reasoning } = draft
  const replace = (at: number, part: Partial<FeedbackDraft>) =>
    onChange({ feedback: feedback.map((one, index) => (index === at ? { ...one, ...part } : one)) })
  return (
    <section aria-label="Feedback" className="flex flex-col gap-2">
      <h2 className="text-row font-medium">Feedback</h2>
      {feedback.map((one, at) => (
        <FeedbackItem
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ids, and are only added at the end
          key={at}
          number={at + 1}
          feedback={one}
          problem={problems[`feedback.${at}`]}
          onChange={(part) => replace(at, part)}
          onRemove={() => onChange({ feedback: feedback.filter((_, index) => index !== at) })}
        />
      ))}
      {problems.feedback !== undefined && (
        <p role="alert" className="text-row text-err">
          {problems.feedback}
        </p>
      )}
      <span>
        <Button disabled={feedback.length >= 10} onClick={() => onChange({ feedback: [...feedback, NEW_FEEDBACK] })}>
          <Plus size={13} aria-hidden />
          Add feedback key
        </Button>
      </span>
      <label className="flex items-center gap-2 text-row coarse:min-h-10">
        <input
          type="checkbox"
          checked={reasoning}
          onChange={(event) => onChange({ reasoning: event.target.checked })}
        />
        The model explains each score first; the explanation becomes the comment
      </label>
    </section>
  )
}

interface FeedbackItemProps {
  number: number
  feedback: FeedbackDraft
  problem: string | undefined
  onChange: (part: Partial<FeedbackDraft>) => void
  onRemove: () => void
}

function FeedbackItem({ number, feedback, problem, onChange, onRemove }: FeedbackItemProps) {
  const { key, type, min, max, description } = feedback
  return (
    <fieldset
      aria-label={`Feedback key ${number}`}
      className="flex min-w-0 flex-col gap-2 rounded-card border border-border bg-surface p-3"
    >
      <div className="flex gap-3 max-sm:flex-col sm:items-end">
        <TextField
          className="flex-1"
          label="Key"
          isCode
          autoComplete="off"
          maxLength={255}
          value={key}
          onChange={(next) => onChange({ key: next })}
        />
        <FormField className="sm:w-40" label="Type">
          {(props) => <Select {...props} value={type} onChange={(next) => onChange({ type: next })} options={TYPES} />}
        </FormField>
        {type === 'number' && (
          <>
            <TextField
              className="sm:w-24"
              label="Lowest"
              isNumber
              autoComplete="off"
              value={min}
              onChange={(next) => onChange({ min: next })}
            />
            <TextField
              className="sm:w-24"
              label="Highest"
              isNumber
              autoComplete="off"
              value={max}
              onChange={(next) => onChange({ max: next })}
            />
          </>
        )}
        <IconButton
          icon={Trash2}
          label={`Remove feedback key ${number}`}
          className="max-sm:self-end"
          onClick={onRemove}
        />
      </div>
      <TextField
        label="What the model judges"
        autoComplete="off"
        maxLength={5000}
        value={description}
        onChange={(next) => onChange({ description: next })}
      />
      {type === 'category' && <Categories feedback={feedback} onChange={onChange} />}
      {problem !== undefined && (
        <p role="alert" className="text-row text-err">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

function Categories({ feedback, onChange }: Pick<FeedbackItemProps, 'feedback' | 'onChange'>) {
  const { categories } = feedback
  const replace = (at: number, part: Partial<(typeof categories)[number]>) =>
    onChange({ categories: categories.map((one, index) => (index === at ? { ...one, ...part } : one)) })
  return (
    <div className="flex flex-col gap-2">
      {categories.map(({ label, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: categories have no ids, and are only added at the end
        <div key={at} className="flex items-end gap-3">
          <TextField
            className="flex-1"
            label={`Category ${at + 1}`}
            autoComplete="off"
            maxLength={200}
            value={label}
            onChange={(next) => replace(at, { label: next })}
          />
          <TextField
            className="w-24"
            label={`Score of category ${at + 1}`}
            isNumber
            autoComplete="off"
            value={value}
            onChange={(next) => replace(at, { value: next })}
          />
          <IconButton
            icon={Trash2}
            label={`Remove category ${at + 1}`}
            onClick={() => onChange({ categories: categories.filter((_, index) => index !== at) })}
          />
        </div>
      ))}
      <span>
        <Button
          disabled={categories.length >= 50}
          onClick={() => onChange({ categories: [...categories, { label: '', value: '' }] })}
        >
          <Plus size={13} aria-hidden />
          Add category
        </Button>
      </span>
    </div>
  )
}

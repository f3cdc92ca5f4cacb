import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '#ui/button.tsx'
import { CONTROL } from '#ui/field.tsx'
import type { ConfigDraft } from './config-draft.ts'

export interface CategoryRowsProps {
  categories: ConfigDraft['categories']
  /** Validation errors by wire field. */
  wrong: Readonly<Record<string, string>>
  onChange: (categories: ConfigDraft['categories']) => void
}

/** Labels of a categorical key and their scores. */
export function CategoryRows({ categories, wrong, onChange }: CategoryRowsProps) {
  const change = (at: number, edit: Partial<ConfigDraft['categories'][number]>) =>
    onChange(categories.map((one, index) => (index === at ? { ...one, ...edit } : one)))
  const errors = Object.entries(wrong).filter(([field]) => field.startsWith('feedback_config.categories'))
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-row text-fg-muted">Categories and their scores</legend>
      {categories.map(({ value, label }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a category has nothing but its place until it is saved
        <div key={at} className="flex items-center gap-2">
          <input
            aria-label={`Label of category ${at + 1}`}
            placeholder="label"
            value={label}
            maxLength={1000}
            onChange={(event) => change(at, { label: event.target.value })}
            className={CONTROL}
          />
          <div className="w-24 shrink-0">
            <input
              aria-label={`Score of category ${at + 1}`}
              aria-invalid={wrong[`feedback_config.categories.${at}.value`] !== undefined}
              inputMode="decimal"
              value={value}
              onChange={(event) => change(at, { value: event.target.value })}
              className={`${CONTROL} num`}
            />
          </div>
          <IconButton
            icon={X}
            label={`Remove category ${at + 1}`}
            onClick={() => onChange(categories.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {errors.map(([field, message]) => (
        <p key={field} role="alert" className="text-row text-err">
          {describeField(field)}
          {message}
        </p>
      ))}
      <div>
        <Button onClick={() => onChange([...categories, { value: String(nextScore(categories)), label: '' }])}>
          <Plus size={13} aria-hidden />
          Add category
        </Button>
      </div>
    </fieldset>
  )
}

function describeField(field: string): string {
  const [, at, name] = /categories\.(\d+)\.(\w+)/.exec(field) ?? []
  return at === undefined ? '' : `${name === 'label' ? 'Label' : 'Score'} of category ${Number(at) + 1} `
}

function nextScore(categories: ConfigDraft['categories']): number {
  return Math.max(-1, ...categories.map(({ value }) => Number(value)).filter(Number.isFinite)) + 1
}

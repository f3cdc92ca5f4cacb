import { TextField } from '#ui/field.tsx'
import type { LimitTexts, ReadLimits } from '../logic/limits.ts'

interface LimitFieldsProps {
  texts: LimitTexts
  problems: ReadLimits['problems']
  onChange: (texts: LimitTexts) => void
}

/** What ends a run over a dataset early: its cost or its time. */
export function LimitFields({ texts, problems, onChange }: LimitFieldsProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Limit in US dollars (optional)"
        isNumber
        value={texts.usd}
        error={problems.usd}
        autoComplete="off"
        hint="No call begins when the cost has reached it."
        onChange={(usd) => onChange({ ...texts, usd })}
      />
      <TextField
        label="Limit in minutes (optional)"
        isNumber
        value={texts.minutes}
        error={problems.minutes}
        autoComplete="off"
        hint="Time that the run works, without pauses."
        onChange={(minutes) => onChange({ ...texts, minutes })}
      />
    </div>
  )
}

import { cx } from '#lib/browser.ts'
import { FIELD, TEXT_AREA } from '#ui/field.tsx'
import { type Answer, chooseOption, isChosen, type Question } from './rubric.ts'

export interface QuestionInputProps {
  question: Question
  answer: Answer
  /** @param isTyping  more may follow at once */
  onAnswer: (answer: Answer, isTyping: boolean) => void
}

/** The control that fits a question: a button per option, a number with a slider, or a text. */
export function QuestionInput({ question, answer, onAnswer }: QuestionInputProps) {
  if (question.kind === 'options') return <Options question={question} answer={answer} onAnswer={onAnswer} />
  if (question.kind === 'number') return <NumberInput question={question} answer={answer} onAnswer={onAnswer} />
  return (
    <textarea
      data-control
      dir="auto"
      aria-label={question.key}
      value={answer.value ?? ''}
      onChange={(event) => onAnswer({ value: event.target.value || undefined, comment: answer.comment }, true)}
      className={TEXT_AREA}
    />
  )
}

function Options({ question, answer, onAnswer }: QuestionInputProps) {
  const chosen = question.options.findIndex((option) => isChosen(option, answer))
  return (
    <div className="flex flex-wrap gap-1.5">
      {question.options.map((option, index) => (
        <button
          key={`${option.score} ${option.value}`}
          type="button"
          data-control={index === Math.max(chosen, 0) ? '' : undefined}
          aria-pressed={index === chosen}
          title={option.score === undefined ? undefined : `Score ${option.score}`}
          onClick={() => onAnswer(chooseOption(option, answer), false)}
          className={cx(
            'inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-control border px-2 text-left text-row font-medium coarse:min-h-10',
            index === chosen ? 'border-accent bg-selected text-fg' : 'border-border bg-surface text-fg hover:bg-hover',
          )}
        >
          {index < 9 && (
            <kbd aria-hidden className="font-sans font-normal text-fg-muted">
              {index + 1}
            </kbd>
          )}
          <span className="min-w-0 break-words">{option.label}</span>
        </button>
      ))}
    </div>
  )
}

function NumberInput({ question, answer, onAnswer }: QuestionInputProps) {
  const { key, min, max } = question
  const isBounded = min !== undefined && max !== undefined && max > min
  const change = (score: number | undefined) => onAnswer({ score, comment: answer.comment }, true)
  return (
    <div className="flex items-center gap-3">
      <input
        data-control
        type="number"
        step="any"
        aria-label={isBounded ? `${key}, ${min} to ${max}` : key}
        value={answer.score === undefined || Number.isNaN(answer.score) ? '' : answer.score}
        onChange={(event) => change(event.target.value === '' ? undefined : event.target.valueAsNumber)}
        className={`${FIELD} w-24 tabular-nums`}
      />
      {isBounded && (
        <>
          <span className="num text-row text-fg-muted">{min}</span>
          <input
            type="range"
            min={min}
            max={max}
            step={(max - min) / 100}
            value={answer.score ?? (min + max) / 2}
            aria-label={`${key}, slider`}
            aria-valuetext={answer.score === undefined ? 'no score' : String(answer.score)}
            onChange={(event) => change(Number(event.target.value))}
            className={cx('h-8 min-w-0 flex-1 coarse:h-10', answer.score === undefined && 'opacity-50')}
          />
          <span className="num text-row text-fg-muted">{max}</span>
        </>
      )}
    </div>
  )
}

// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useRef, useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ReviewForm, type ReviewFormHandle } from './review-form.tsx'
import { type Answers, toQuestions } from './rubric.ts'

afterEach(cleanup)

const questions = toQuestions([
  { feedback_key: 'correct', score_descriptions: { 0: 'wrong', 1: 'right' }, is_required: true },
  {
    feedback_key: 'why',
    regex_validator: '.',
    visible_if: { join: 'all', rules: [{ key: 'correct', op: 'is', values: [0] }] },
  },
  { feedback_key: 'tone' },
])

/** A form that keeps its answers, and a button that chooses the first option as the key 1 does. */
function open({ isReadOnly = false, onDone = vi.fn() } = {}) {
  function Harness() {
    const [answers, setAnswers] = useState<Answers>({})
    const [activeKey, setActiveKey] = useState<string>()
    const form = useRef<ReviewFormHandle>(null)
    return (
      <>
        <button type="button" onClick={() => form.current?.choose(1)}>
          press 1
        </button>
        <button type="button" onClick={() => form.current?.comment()}>
          press c
        </button>
        <ReviewForm
          ref={form}
          questions={questions}
          answers={answers}
          statuses={new Map([['tone', { kind: 'saved', atMs: 0 }]])}
          activeKey={activeKey}
          onActivate={setActiveKey}
          problem={undefined}
          isReadOnly={isReadOnly}
          onAnswer={(key, answer) => setAnswers((before) => ({ ...before, [key]: answer }))}
          onLeave={() => undefined}
          onDone={onDone}
        />
      </>
    )
  }
  render(<Harness />)
  return onDone
}

describe('the review form', () => {
  it('goes to the question that an answer shows', async () => {
    open()
    expect(screen.queryByRole('textbox', { name: 'why' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'press 1' }))
    expect(screen.getByRole('button', { name: 'wrong' }).getAttribute('aria-pressed')).toBe('true')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'why' }))
  })

  it('keeps the answer when its number is pressed again, and takes it back when it is clicked', async () => {
    open()
    const wrong = screen.getByRole('button', { name: 'wrong' })
    await userEvent.click(wrong)
    await userEvent.click(screen.getByRole('button', { name: 'press 1' }))
    expect(wrong.getAttribute('aria-pressed')).toBe('true')
    await userEvent.click(wrong)
    expect(wrong.getAttribute('aria-pressed')).toBe('false')
  })

  it('moves between fields with Enter and arrows, and is done with Ctrl+Enter', async () => {
    const onDone = open()
    await userEvent.click(screen.getByRole('button', { name: 'wrong' }))
    await userEvent.click(screen.getByRole('spinbutton', { name: 'tone' }))
    await userEvent.keyboard('0.5{ArrowUp}')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'why' }))
    await userEvent.keyboard('because{Control>}{Enter}{/Control}')
    expect(onDone).toHaveBeenCalledOnce()
    expect(screen.getByRole<HTMLInputElement>('spinbutton', { name: 'tone' }).value).toBe('0.5')
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'why' }).value).toBe('because')
  })

  it('opens the comment of the active question', async () => {
    open()
    await userEvent.click(screen.getByRole('button', { name: 'press c' }))
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Comment on correct' }))
  })

  it('marks saved answers, and cannot be changed when it is read-only', async () => {
    open({ isReadOnly: true })
    screen.getByText('Saved')
    const wrong = screen.getByRole('button', { name: 'wrong' })
    await userEvent.click(wrong)
    await userEvent.click(screen.getByRole('button', { name: 'press 1' }))
    expect(wrong.getAttribute('aria-pressed')).toBe('false')
  })
})

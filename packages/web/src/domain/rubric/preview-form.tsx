import { useState } from 'react'
import { type Answers, findFirstProblem, type Question } from '#lib/annotation-queues/rubric.ts'
import { Instructions, ReviewForm } from './review-form.tsx'

/** A review form to try: it checks answers like the real one and stores nothing. */
export function PreviewForm({ questions, instructions }: { questions: readonly Question[]; instructions: string }) {
  const [answers, setAnswers] = useState<Answers>({})
  const [activeKey, setActiveKey] = useState<string>()
  const [problem, setProblem] = useState<{ key: string; problem: string }>()
  return (
    <>
      <Instructions text={instructions} />
      <ReviewForm
        questions={questions}
        answers={answers}
        statuses={new Map()}
        activeKey={activeKey}
        onActivate={setActiveKey}
        problem={problem}
        isReadOnly={false}
        onAnswer={(key, answer) => {
          setProblem(undefined)
          setAnswers({ ...answers, [key]: answer })
        }}
        onLeave={() => undefined}
        onDone={() => setProblem(findFirstProblem(questions, answers))}
      />
    </>
  )
}

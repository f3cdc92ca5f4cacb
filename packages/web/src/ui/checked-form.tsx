import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'

/** What is wrong with the fields of a form, by field; absent for correct ones. */
export type FieldProblems<Field extends string> = Readonly<Partial<Record<Field, string | undefined>>>

export interface CheckedForm<Field extends string> {
  /** Props of the `form` element. */
  form: { ref: RefObject<HTMLFormElement | null>; noValidate: true; onSubmit: (event: FormEvent) => void }
  /** The problems to show at the fields; undefined until the user tries to submit. */
  problems: FieldProblems<Field> | undefined
}

/**
 * A form with its own messages in place of the browser's. It is only sent without problems; otherwise the first wrong field
 * gets the focus, also after the server has refused a field.
 *
 * @param found  problems of the fields as they are now
 * @param onSubmit  sends the form
 * @param refusal  error of the last request; a field that shows it is wrong too
 */
export function useCheckedForm<Field extends string>(
  found: FieldProblems<Field>,
  onSubmit: () => void,
  refusal?: unknown,
): CheckedForm<Field> {
  const ref = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves after an attempt or a refusal, not while typing
  useEffect(() => {
    ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts, refusal])
  return {
    form: {
      ref,
      noValidate: true,
      onSubmit(event) {
        event.preventDefault()
        if (Object.values(found).every((problem) => problem === undefined)) onSubmit()
        else setAttempts(attempts + 1)
      },
    },
    problems: attempts === 0 ? undefined : found,
  }
}

/** @returns undefined for a text that can be an email address */
export function findEmailProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Enter an email address.'
  return /^[^\s@]+@[^\s@]+$/.test(text.trim()) ? undefined : 'Enter an email address, such as ada@example.com.'
}

/** @returns undefined for a text that the server accepts as a new password */
export function findPasswordProblem(text: string): string | undefined {
  if (text === '') return 'Enter a password.'
  return text.length < 10 ? 'Enter at least 10 characters.' : undefined
}

import type { ReactNode } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { CONTROL, FormField, TextField } from './field.tsx'
import { FormSection } from './form-section.tsx'
import { useDraft } from './hooks.tsx'
import { toast } from './toast.tsx'

interface General {
  name: string
  description: string
}

interface GeneralSectionProps {
  /** What the object is called in messages, for example `dataset`. */
  noun: string
  /** What a new name breaks. */
  nameHint: string
  saved: General
  mayWrite: boolean
  save: {
    error: unknown
    isPending: boolean
    submit: (general: General, callbacks: { onSuccess: () => void }) => void
    reset: () => void
  }
  children?: ReactNode
}

const LABELS = { name: 'Name', description: 'Description' } as const

/** Name and description of an object whose name is unique in the workspace. */
export function GeneralSection({ noun, nameHint, saved, mayWrite, save, children }: GeneralSectionProps) {
  const draft = useDraft(saved)
  const { name, description } = draft.value
  const isTaken = describeFailure(save.error).status === 409
  const nameError = name.trim() === '' ? 'Enter a name.' : isTaken ? `Another ${noun} has this name.` : undefined
  function submit() {
    save.submit(
      { name: name.trim(), description },
      {
        onSuccess: () => {
          draft.settle(draft.value)
          toast.done(`Saved the ${noun}`)
        },
      },
    )
  }
  return (
    <FormSection
      title="General"
      changes={draft.changed.map((field) => ({ label: LABELS[field], from: saved[field], to: draft.value[field] }))}
      isSaving={save.isPending}
      isInvalid={name.trim() === ''}
      error={isTaken ? undefined : save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={submit}
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      <TextField
        label="Name"
        hint={nameHint}
        error={nameError}
        maxLength={1000}
        value={name}
        spellCheck={false}
        onChange={(typed) => {
          draft.set({ name: typed })
          save.reset()
        }}
      />
      <FormField label="Description">
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            rows={3}
            className={`${CONTROL} !h-auto resize-y py-1.5`}
            value={description}
            onChange={(event) => draft.set({ description: event.target.value })}
          />
        )}
      </FormField>
      {children}
    </FormSection>
  )
}

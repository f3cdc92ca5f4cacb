import type { ReactNode } from 'react'
import { pickFields } from '#lib/changes.ts'
import { describeFailure, isOvertaken } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { DraftConflict } from './edit-conflict.tsx'
import { CONTROL, FormField, TextField } from './field.tsx'
import { FormSection } from './form-section.tsx'
import { toast } from './toast.tsx'
import { useDraft } from './use-draft.tsx'

type General = { name: string; description: string }

interface GeneralSectionProps {
  /** What the object is called in messages, for example `dataset`. */
  noun: string
  /** What a new name breaks. */
  nameHint: string
  saved: General
  /** Name under which unsaved changes survive a reload. */
  keptAs: string
  mayWrite: boolean
  save: {
    error: unknown
    isPending: boolean
    /** @param expected  the values of the changed fields that the change is based on */
    submit: (changes: Partial<General>, expected: Partial<General>, callbacks: { onSuccess: () => void }) => void
    reset: () => void
  }
  children?: ReactNode
}

const LABELS = { name: 'Name', description: 'Description' } as const

/** Name and description of an object whose name is unique in the workspace. */
export function GeneralSection({ noun, nameHint, saved, keptAs, mayWrite, save, children }: GeneralSectionProps) {
  const draft = useDraft(saved, keptAs)
  const { name, description } = draft.value
  // What is being saved comes back before the draft ends.
  const overtaken = save.isPending ? [] : draft.overtaken
  const isTaken = describeFailure(save.error).status === 409 && !isOvertaken(save.error)
  const nameError = name.trim() === '' ? 'Enter a name.' : isTaken ? `Another ${noun} has this name.` : undefined
  function submit() {
    const change = { name: name.trim(), description }
    save.submit(pickFields(change, draft.changed), pickFields(draft.base, draft.changed), {
      onSuccess: () => {
        draft.settle(draft.value)
        toast.done(`Saved the ${noun}`)
      },
    })
  }
  return (
    <FormSection
      title="General"
      changes={draft.changed.map((field) => ({ label: LABELS[field], from: saved[field], to: draft.value[field] }))}
      isSaving={save.isPending}
      isInvalid={name.trim() === '' || overtaken.length > 0}
      error={isTaken || overtaken.length > 0 ? undefined : save.error}
      isRestored={draft.isRestored}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={submit}
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      {overtaken.length > 0 && <DraftConflict what={`this ${noun}`} labels={LABELS} draft={draft} saved={saved} />}
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

import { CircleAlert } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { ExampleForm, useEditMode } from '#features/datasets/examples/example-form.tsx'
import { containsChat, readChat } from '#features/datasets/examples/logic/chat-messages.ts'
import { MessageEditor } from '#features/datasets/examples/message-editor.tsx'
import { type OnValidity, useInvalidFields } from '#features/datasets/examples/value-control.tsx'
import { Button } from '#ui/button.tsx'
import { DraftRestored } from '#ui/form-section.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { ErrorState } from '#ui/states.tsx'
import type { CorrectionDraft } from './logic/correction-drafts.ts'
import { parseCorrection } from './logic/review-records.ts'

interface CorrectionEditorProps {
  draft: CorrectionDraft
  /** Whether it takes the focus when it appears. */
  autoFocus: boolean
  onType: (text: string) => void
  onCancel: () => void
  onSave: () => void
  /** Called as by a field, for all fields of the form. */
  onValidity: OnValidity
}

const LABEL = 'Corrected output'

/**
 * The text of a correction, what is wrong with it, and why it could not be saved. Outputs with messages, or that are one
 * message, are edited message by message, unless the reviewer chose JSON.
 */
export function CorrectionEditor({ draft, autoFocus, onType, onCancel, onSave, onValidity }: CorrectionEditorProps) {
  const { text } = draft
  const invalid = useInvalidFields()
  const isInvalid = invalid.count > 0
  const [hasMessages] = useState(() => readChat(draft.start) !== undefined || containsChat(draft.start))
  const { mode, modes } = useEditMode(hasMessages)
  const form = useRef<HTMLDivElement>(null)
  const chat = mode === 'form' ? readChat(text) : undefined
  useEffect(() => {
    if (autoFocus) form.current?.querySelector<HTMLElement>('textarea, [role=textbox]')?.focus()
  }, [autoFocus])
  useEffect(() => {
    if (!isInvalid) return
    onValidity(true)
    return () => onValidity(false)
  }, [isInvalid, onValidity])
  const field = { label: LABEL, readOnly: false, onSave, onValidity: invalid.onValidity }
  // As in the editor of JSON, these keys save the correction, and not the review.
  function press(event: KeyboardEvent) {
    const isSave = (event.ctrlKey || event.metaKey) && (event.key === 'Enter' || event.key === 's')
    if (!isSave || event.defaultPrevented) return
    event.preventDefault()
    onSave()
  }
  return (
    <>
      {draft.error !== undefined && (
        <ErrorState compact title="Could not save the correction" error={draft.error} onRetry={onSave} />
      )}
      <div className="mt-2 flex flex-col gap-2">
        {draft.isRestored && <DraftRestored onDiscard={onCancel} />}
        {draft.refusals > 0 && (
          <p role="alert" className="flex items-center gap-1 text-row text-err">
            <CircleAlert size={13} aria-hidden />
            The correction cannot be saved like this. Fix it, or cancel it.
          </p>
        )}
        {hasMessages && modes}
        {hasMessages && mode === 'form' ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields inside
          <div ref={form} onKeyDown={press}>
            {chat ? (
              <MessageEditor {...field} chat={chat} onChange={onType} />
            ) : (
              <ExampleForm {...field} json={text} onChange={onType} schema={undefined} />
            )}
          </div>
        ) : (
          <JsonEditor
            autoFocus={autoFocus}
            label={LABEL}
            value={text}
            onChange={onType}
            check={checkObject}
            onSave={onSave}
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel} disabled={draft.isSaving}>
            Cancel
          </Button>
          <Button
            look="primary"
            disabled={isInvalid || checkObject(text).length > 0 || draft.isSaving}
            onClick={onSave}
          >
            Save the correction
          </Button>
        </div>
      </div>
    </>
  )
}

function checkObject(text: string) {
  const parsed = parseCorrection(text)
  return 'problem' in parsed ? [parsed.problem] : []
}

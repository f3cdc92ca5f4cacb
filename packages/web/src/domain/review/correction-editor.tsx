import { CircleAlert } from 'lucide-react'
import type { CorrectionDraft } from '#lib/annotation-queues/correction-drafts.ts'
import { parseCorrection } from '#lib/annotation-queues/review-records.ts'
import { Button } from '#ui/button.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { ErrorState } from '#ui/states.tsx'

interface CorrectionEditorProps {
  draft: CorrectionDraft
  /** Whether it takes the focus when it appears. */
  autoFocus: boolean
  onType: (text: string) => void
  onCancel: () => void
  onSave: () => void
}

/** The text of a correction, what is wrong with it, and why it could not be saved. */
export function CorrectionEditor({ draft, autoFocus, onType, onCancel, onSave }: CorrectionEditorProps) {
  return (
    <>
      {draft.error !== undefined && (
        <ErrorState compact title="Could not save the correction" error={draft.error} onRetry={onSave} />
      )}
      <div className="mt-2 flex flex-col gap-2">
        {draft.refusals > 0 && (
          <p role="alert" className="flex items-center gap-1 text-row text-err">
            <CircleAlert size={13} aria-hidden />
            The correction cannot be saved like this. Fix it, or cancel it.
          </p>
        )}
        <JsonEditor
          autoFocus={autoFocus}
          label="Corrected output"
          value={draft.text}
          onChange={onType}
          check={checkObject}
          onSave={onSave}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel} disabled={draft.isSaving}>
            Cancel
          </Button>
          <Button look="primary" disabled={checkObject(draft.text).length > 0 || draft.isSaving} onClick={onSave}>
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

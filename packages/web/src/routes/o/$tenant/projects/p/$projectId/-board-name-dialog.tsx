import { type FormEvent, useState } from 'react'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { CONTROL, FormField } from '#ui/form-field.tsx'

export interface BoardNameDialogProps {
  title: string
  /** The verb on the button. */
  action: string
  name?: string
  /** Whether to ask where it belongs, too. */
  asksPlace?: boolean
  /** Closes when it resolves; what it throws is shown. */
  onName: (name: string, isOfProject: boolean) => Promise<void>
  onClose: () => void
}

/** Asks for the name of a dashboard. */
export function BoardNameDialog({
  title,
  action,
  name: before = '',
  asksPlace,
  onName,
  onClose,
}: BoardNameDialogProps) {
  const [name, setName] = useState(before)
  const [isOfProject, setOfProject] = useState(true)
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  async function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '' || isBusy) return
    setBusy(true)
    try {
      await onName(name.trim(), isOfProject)
      onClose()
    } catch (cause) {
      setFailure(describeFailure(cause).message)
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="board-name" look="primary" disabled={isBusy || name.trim() === ''}>
            {action}
          </Button>
        </>
      }
    >
      <form id="board-name" onSubmit={submit} className="flex flex-col gap-3">
        <FormField label="Name" error={failure}>
          {(props) => (
            <input
              {...props}
              value={name}
              maxLength={200}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
              className={CONTROL}
            />
          )}
        </FormField>
        {asksPlace && (
          <FormField label="Offered in">
            {(props) => (
              <select
                {...props}
                value={isOfProject ? 'project' : 'workspace'}
                onChange={(event) => setOfProject(event.target.value === 'project')}
                className={CONTROL}
              >
                <option value="project">this project</option>
                <option value="workspace">every project of the workspace</option>
              </select>
            )}
          </FormField>
        )}
      </form>
    </Dialog>
  )
}

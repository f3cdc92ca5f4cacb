import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { buttonLook } from '#ui/button.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { datasetMutation } from '../queries.ts'

const ImportWizard = lazyExtra(() => import('./import-wizard.tsx').then((module) => module.ImportWizard))

interface CreateFromFileProps {
  /** The choice between the ways to create a dataset. */
  children: ReactNode
  onClose: () => void
  onCreated: (datasetId: string) => void
}

/** Creates a dataset, then imports a file into it. */
export function CreateFromFile({ children, onClose, onCreated }: CreateFromFileProps) {
  const [file, setFile] = useState<File>()
  const [typedName, setName] = useState<string>()
  const create = useMutation(datasetMutation.create(useQueryClient()))
  const name = typedName ?? file?.name.replace(/\.[^.]+$/, '') ?? ''
  if (create.data !== undefined) {
    const { id } = create.data
    const finish = () => {
      onClose()
      onCreated(id)
    }
    return (
      <Suspense>
        <ImportWizard dataset={create.data} file={file} onClose={finish} />
      </Suspense>
    )
  }
  return (
    <FormDialog
      title="Create dataset"
      action="Create and map columns"
      canSubmit={file !== undefined && name.trim() !== ''}
      isPending={create.isPending}
      error={create.error}
      errorTitle="Could not create the dataset"
      onClose={onClose}
      onSubmit={() => create.mutate({ name: name.trim(), description: undefined, dataType: 'kv' })}
    >
      {children}
      <FormField label="File" hint="CSV, JSONL or JSON. Columns are mapped and rows are checked in the next steps.">
        {(props) => (
          <span className="flex min-w-0 items-center gap-2">
            <label
              htmlFor={props.id}
              className={`${buttonLook()} cursor-pointer focus-within:outline-2 focus-within:outline-accent`}
            >
              <FileUp size={13} aria-hidden />
              Choose file
              <input
                {...props}
                type="file"
                accept=".csv,.tsv,.txt,.jsonl,.ndjson,.json,text/csv,application/json"
                className="sr-only"
                onChange={(event) => setFile(event.target.files?.[0])}
              />
            </label>
            <span className="min-w-0 truncate text-fg-muted">{file?.name ?? 'No file chosen'}</span>
          </span>
        )}
      </FormField>
      <TextField label="Name" value={name} maxLength={1000} autoComplete="off" onChange={setName} />
    </FormDialog>
  )
}

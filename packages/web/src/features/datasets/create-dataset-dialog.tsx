import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DataType } from '@touchstone/sdk'
import { type ReactNode, useState } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { pluralize } from '#lib/format.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import { SnippetTabs } from '#ui/snippet.tsx'
import { toast } from '#ui/toast.tsx'
import { CreateFromFile } from './import/create-from-file.tsx'
import { datasetMutation } from './queries.ts'
import { datasetShareMutation, datasetShareQuery } from './sharing/queries.ts'
import { type DatasetLinkText, readDatasetLink } from './sharing/share-link.ts'
import { cloneSnippets } from './snippets.ts'

export type CreateStart = 'empty' | 'file' | 'link'

const STARTS = [
  { value: 'empty', label: 'Empty' },
  { value: 'file', label: 'From a file' },
  { value: 'link', label: 'From a public link' },
] as const

export interface CreateDatasetDialogProps {
  /** @default 'empty' */
  start?: CreateStart
  /** A public link to copy from. */
  link?: string | undefined
  onClose: () => void
  onCreated: (datasetId: string) => void
}

/** Creates an empty dataset, one with the rows of a file, or a copy of a public one. */
export function CreateDatasetDialog({ start = 'empty', link, ...on }: CreateDatasetDialogProps) {
  const [from, setFrom] = useState<CreateStart>(start)
  const choice = <Segmented label="Start" value={from} onChange={setFrom} options={STARTS} />
  if (from === 'file') return <CreateFromFile {...on}>{choice}</CreateFromFile>
  return from === 'empty' ? (
    <EmptyForm {...on}>{choice}</EmptyForm>
  ) : (
    <CloneForm link={link} {...on}>
      {choice}
    </CloneForm>
  )
}

type FormProps = Pick<CreateDatasetDialogProps, 'onClose' | 'onCreated'> & { children: ReactNode }

const TYPES: readonly { value: DataType; label: string }[] = [
  { value: 'kv', label: 'Key-value: any JSON object' },
  { value: 'chat', label: 'Chat: messages in and out' },
  { value: 'llm', label: 'LLM: one prompt text, one answer text' },
]

function EmptyForm({ children, onClose, onCreated }: FormProps) {
  const [{ name, description, dataType }, setDraft] = useState({
    name: '',
    description: '',
    dataType: 'kv' as DataType,
  })
  const set = (change: object) => setDraft((draft) => ({ ...draft, ...change }))
  const create = useMutation(datasetMutation.create(useQueryClient()))
  return (
    <FormDialog
      title="Create dataset"
      action="Create dataset"
      canSubmit={name.trim() !== ''}
      isPending={create.isPending}
      error={toNameError(create.error)}
      errorTitle="Could not create the dataset"
      onClose={onClose}
      onSubmit={() =>
        create.mutate(
          { name: name.trim(), description: description.trim() || undefined, dataType },
          {
            onSuccess: ({ id }) => {
              onClose()
              onCreated(id)
            },
          },
        )
      }
    >
      <TextField
        label="Name"
        value={name}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        onChange={(text) => set({ name: text })}
      />
      {children}
      <TextField label="Description" value={description} onChange={(text) => set({ description: text })} />
      <FormField label="Type of the examples" hint="The type cannot be changed later.">
        {(props) => <Select {...props} value={dataType} onChange={(next) => set({ dataType: next })} options={TYPES} />}
      </FormField>
    </FormDialog>
  )
}

function CloneForm({ link = '', children, onClose, onCreated }: FormProps & { link: string | undefined }) {
  const [text, setText] = useState(link)
  const [typedName, setName] = useState<string>()
  const source = readDatasetLink(text, location.origin)
  const token = source?.isOwn ? source.token : undefined
  const preview = useQuery({ ...datasetShareQuery.preview(token ?? ''), enabled: token !== undefined })
  const clone = useMutation(datasetShareMutation.clone(useQueryClient()))
  const name = typedName ?? preview.data?.name ?? ''
  return (
    <FormDialog
      title="Create dataset"
      action={clone.isPending ? 'Copying…' : 'Create copy'}
      width="max-w-lg"
      canSubmit={preview.isSuccess && name.trim() !== ''}
      isPending={clone.isPending}
      error={clone.error}
      errorTitle="Could not copy the dataset"
      onClose={onClose}
      onSubmit={() =>
        clone.mutate(
          { token: token ?? '', name: name.trim() },
          {
            onSuccess: ({ id }) => {
              onClose()
              onCreated(id)
              toast.done(`Created ${name.trim()}`)
            },
          },
        )
      }
    >
      <TextField
        label="Public link or token"
        placeholder={`${location.origin}/public/…/d`}
        value={text}
        isCode
        autoComplete="off"
        error={getLinkError(text, source, preview.isError)}
        onChange={setText}
      />
      {children}
      {source?.isOwn === false && <OtherServer link={source} />}
      {preview.data && (
        <>
          <p className="text-row text-fg-muted">
            {pluralize(preview.data.example_count, 'example')} will be copied with their metadata, splits and
            attachments.
          </p>
          <TextField label="Name of the copy" value={name} maxLength={1000} spellCheck={false} onChange={setName} />
        </>
      )}
    </FormDialog>
  )
}

function getLinkError(text: string, source: DatasetLinkText | undefined, isUnknown: boolean): string | undefined {
  if (text.trim() === '') return undefined
  if (source === undefined) return 'Paste the address of a public dataset page, or its token.'
  return isUnknown ? 'This link is not available. It may have been revoked.' : undefined
}

/** Pages of this server may not read other servers, so the SDK makes the copy. */
function OtherServer({ link }: { link: DatasetLinkText }) {
  return (
    <>
      <p className="text-row text-fg-muted">
        This link belongs to another server. Run one of these programs with an API key of this workspace:
      </p>
      <SnippetTabs snippets={cloneSnippets({ origin: location.origin, source: link })} />
    </>
  )
}

/** Explains the error of a name that another dataset has. */
export function toNameError(error: unknown): unknown {
  return describeFailure(error).status === 409 ? new Error('Another dataset has this name. Enter a new one.') : error
}

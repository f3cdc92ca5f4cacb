import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MODEL_PROVIDER_KIND_NAMES } from '@touchstone/contract/model-presets'
import type { ModelProvider } from '@touchstone/sdk'
import { Ellipsis, Pencil, Plug, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ProviderDialog } from './provider-dialog.tsx'
import { toProviderDraft, toTest } from './provider-draft.ts'
import { ProviderTest } from './provider-test.tsx'
import { modelProviderMutation, modelProviderQuery } from './queries.ts'

const ADMINS_ONLY = 'Only admins can change providers.'

type OpenDialog = { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly provider: ModelProvider }

/** Connections of the workspace to providers of models. */
export function ProvidersPage() {
  const isAdmin = useMay('admin')
  const { data: providers, error, isPending, refetch } = useQuery(modelProviderQuery.list())
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const add = (
    <Button
      look="primary"
      disabled={!isAdmin}
      title={isAdmin ? undefined : ADMINS_ONLY}
      onClick={() => setDialog({ kind: 'add' })}
    >
      <Plus size={13} aria-hidden />
      Add provider
    </Button>
  )
  return (
    <PageFrame
      title="Providers"
      actions={add}
      status={providers && <span role="status">{pluralize(providers.length, 'provider')}</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto p-3 sm:p-6">
        {isPending && <SkeletonRows rows={4} label="Loading providers" />}
        {error !== null && providers === undefined && (
          <ErrorState title="Could not load the providers" error={error} onRetry={() => void refetch()} />
        )}
        {providers?.length === 0 && (
          <EmptyState icon={Plug} title="No providers yet" actions={add}>
            Add OpenAI, Anthropic, Gemini, Ollama or any compatible API. Members can then call its models; no one can
            read its key.
          </EmptyState>
        )}
        <div className="flex max-w-4xl flex-col gap-4">
          {providers?.map((provider) => (
            <ProviderCard key={provider.id} provider={provider} isAdmin={isAdmin} onDialog={setDialog} />
          ))}
        </div>
      </div>
      {dialog?.kind === 'add' && <ProviderDialog onClose={close} />}
      {dialog?.kind === 'edit' && <ProviderDialog provider={dialog.provider} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteProvider provider={dialog.provider} onClose={close} />}
    </PageFrame>
  )
}

interface ProviderCardProps {
  provider: ModelProvider
  isAdmin: boolean
  onDialog: (dialog: OpenDialog) => void
}

/** One provider: its address and key, a test, and its models. */
function ProviderCard({ provider, isAdmin, onDialog }: ProviderCardProps) {
  const { name, kind, base_url: baseUrl, headers } = provider
  const names = Object.keys(headers)
  return (
    <article aria-label={name} className="rounded-card border border-border bg-surface">
      <header className="flex flex-wrap items-center gap-2 px-4 py-2">
        <h2 className="min-w-0 flex-1 break-words text-form font-semibold">{name}</h2>
        {isAdmin && (
          <>
            <Button onClick={() => onDialog({ kind: 'edit', provider })}>
              <Pencil size={13} aria-hidden />
              Edit
            </Button>
            <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${name}`} />}>
              <MenuItem
                icon={<Trash2 size={13} aria-hidden />}
                danger
                onSelect={() => onDialog({ kind: 'delete', provider })}
              >
                Delete…
              </MenuItem>
            </Menu>
          </>
        )}
      </header>
      <p className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-2 text-row text-fg-muted">
        <span className="break-all font-mono">{baseUrl}</span>
        <span>{MODEL_PROVIDER_KIND_NAMES[kind]}</span>
        <KeyState provider={provider} />
        {names.length > 0 && <span className="break-all">Headers: {names.join(', ')}</span>}
      </p>
      {isAdmin && (
        <Disclosure summary="Test" className="border-t border-border px-4 py-1.5">
          <div className="pb-2 pt-1">
            <ProviderTest
              toTest={(model) => toTest(toProviderDraft(provider), provider.id, model)}
              models={provider.models}
            />
          </div>
        </Disclosure>
      )}
      <Disclosure summary="Models" className="border-t border-border px-4 py-1.5">
        <ModelList id={provider.id} />
      </Disclosure>
    </article>
  )
}

function KeyState({ provider: { key_set, key_last_four: end, key_readable } }: { provider: ModelProvider }) {
  if (!key_readable) return <span className="text-err">The key cannot be read. Enter it again.</span>
  if (!key_set) return <span>No key</span>
  return (
    <span>
      Key{' '}
      <span className="font-mono">
        <span aria-hidden>••••</span>
        {end ?? ''}
      </span>
      {end === null && ' set'}
    </span>
  )
}

function ModelList({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(modelProviderQuery.models(id))
  if (error !== null && data === undefined) {
    return <ErrorState compact title="Could not list the models" error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <SkeletonRows rows={3} label="Loading models" />
  const { models, problem } = data
  return (
    <div className="flex flex-col gap-1 pb-1 text-row">
      {problem && (
        <p role="status" className="text-err">
          {problem.message} {problem.provider_message}
        </p>
      )}
      {models.length === 0 && problem === null && <p className="text-fg-muted">The provider lists no models.</p>}
      {models.length > 0 && (
        <ul
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label="Models"
          className="max-h-72 columns-1 overflow-auto sm:columns-2"
        >
          {models.map((model) => (
            <li key={model.id} className="flex break-inside-avoid items-baseline gap-2 py-0.5 pr-2">
              <span className="min-w-0 break-all font-mono">{model.id}</span>
              {!model.has_price && <span className="shrink-0 text-meta text-fg-muted">no price</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function DeleteProvider({ provider: { id, name }, onClose }: { provider: ModelProvider; onClose: () => void }) {
  const remove = useMutation(modelProviderMutation.delete(useQueryClient()))
  const confirm = () =>
    remove.mutate(id, {
      onSuccess: () => {
        onClose()
        toast.done(`Deleted ${name}`)
      },
      onError: (cause) => toast.failure(`Could not delete ${name}`, cause),
    })
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete provider"
      isBusy={remove.isPending}
      onConfirm={confirm}
      onCancel={onClose}
    >
      Its key is deleted. What uses the provider fails until another one is chosen.
    </ConfirmDialog>
  )
}

import type { ModelProvider } from '@touchstone/sdk'
import { lazyExtra } from '#ui/lazy.tsx'
import { toast } from '#ui/toast.tsx'
import type { PlaygroundController, PlaygroundState } from '../logic/controller.ts'
import { readRowValues } from '../logic/row-values.ts'
import type { VariableRow } from '../logic/variables.ts'
import { MAX_VARIANTS } from '../logic/variant.ts'

const CommitDialog = lazyExtra(() => import('./commit-dialog.tsx').then((module) => module.CommitDialog))
const DatasetDialog = lazyExtra(() => import('./dataset-dialog.tsx').then((module) => module.DatasetDialog))
const ExampleDialog = lazyExtra(() => import('./example-dialog.tsx').then((module) => module.ExampleDialog))
const PromptDialog = lazyExtra(() => import('./prompt-dialog.tsx').then((module) => module.PromptDialog))

/** The dialog that is open, for the variant of a key or for the page. */
export type DialogState =
  | { readonly kind: 'commit' | 'prompt'; readonly key: string }
  | { readonly kind: 'dataset' }
  | { readonly kind: 'row' }

interface PlaygroundDialogProps {
  dialog: DialogState
  state: PlaygroundState
  variables: readonly VariableRow[]
  controller: PlaygroundController
  providers: readonly ModelProvider[]
  draftName: string
  /** The dataset that the page was opened with. */
  datasetId: string | undefined
  /** Shows a variant, by its key. */
  onShow: (key: string) => void
  /** Called with the id of a run over a dataset. */
  onStarted: (jobId: string) => void
  onClose: () => void
}

export function PlaygroundDialog(props: PlaygroundDialogProps) {
  const { dialog, state, variables, controller, providers, draftName, datasetId, onShow, onStarted, onClose } = props
  if (dialog.kind === 'dataset') {
    return (
      <DatasetDialog state={state} name={draftName} datasetId={datasetId} onStarted={onStarted} onClose={onClose} />
    )
  }
  if (dialog.kind === 'row') {
    return (
      <ExampleDialog
        datasetId={state.origin.example?.datasetId ?? datasetId ?? ''}
        onChoose={(example) => {
          const { id: exampleId, dataset_id, inputs, outputs, metadata } = example
          controller.takeExample(
            { datasetId: dataset_id, exampleId },
            readRowValues(variables, { inputs, outputs, metadata }),
          )
          onClose()
        }}
        onClose={onClose}
      />
    )
  }
  const variant = state.variants.find(({ key }) => key === dialog.key)
  if (variant === undefined) return null
  if (dialog.kind === 'commit') {
    return (
      <CommitDialog
        variant={variant}
        provider={providers.find(({ id }) => id === variant.providerId)}
        onCommitted={(prompt) => controller.change(variant.key, (one) => ({ ...one, prompt }))}
        onClose={onClose}
      />
    )
  }
  return (
    <PromptDialog
      variants={state.variants}
      variantKey={variant.key}
      providers={providers}
      onOpen={(key, opened, texts) => {
        const shown = controller.open(key, opened, texts)
        if (shown === undefined) toast.failure(`At most ${MAX_VARIANTS} variants fit side by side.`)
        else onShow(shown)
      }}
      onClose={onClose}
    />
  )
}

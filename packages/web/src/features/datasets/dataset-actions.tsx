import { useNavigate } from '@tanstack/react-router'
import type { Dataset } from '@touchstone/sdk'
import { Copy, Ellipsis, Globe, Pencil, Play, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { toast } from '#ui/toast.tsx'
import type { DatasetDialog } from './dataset-dialogs.tsx'

const DatasetDialogs = lazyExtra(() => import('./dataset-dialogs.tsx').then((module) => module.DatasetDialogs))

/** The menu of a dataset: copy its id, run prompts over it, share, rename and delete it. */
export function DatasetActions({ tenant, dataset }: { tenant: string; dataset: Dataset }) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const [dialog, setDialog] = useState<DatasetDialog>()
  const openDataset = (datasetId: string) =>
    void navigate({ to: '/o/$tenant/datasets/$datasetId', params: { tenant, datasetId } })
  async function copyId() {
    if (await copyText(dataset.id)) toast.done('Copied the ID')
  }
  return (
    <>
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label="Actions of the dataset" />}>
        <MenuItem icon={<Copy size={13} aria-hidden />} onSelect={() => void copyId()}>
          Copy ID
        </MenuItem>
        <MenuItem
          icon={<Play size={13} aria-hidden />}
          onSelect={() =>
            void navigate({ to: '/o/$tenant/playground', params: { tenant }, search: { dataset: dataset.id } })
          }
        >
          Open in playground
        </MenuItem>
        <MenuItem
          icon={<Globe size={13} aria-hidden />}
          disabled={!mayWrite}
          onSelect={() => setDialog({ kind: 'share', dataset })}
        >
          Share…
        </MenuItem>
        <MenuItem
          icon={<Pencil size={13} aria-hidden />}
          disabled={!mayWrite}
          onSelect={() => setDialog({ kind: 'rename', dataset })}
        >
          Rename…
        </MenuItem>
        <MenuItem
          icon={<Trash2 size={13} aria-hidden />}
          danger
          disabled={!mayWrite}
          onSelect={() => setDialog({ kind: 'delete', dataset })}
        >
          Delete…
        </MenuItem>
      </Menu>
      <Suspense>
        {dialog && (
          <DatasetDialogs
            dialog={dialog}
            onClose={() => setDialog(undefined)}
            onCreated={openDataset}
            onDeleted={() => void navigate({ to: '/o/$tenant/datasets', params: { tenant } })}
          />
        )}
      </Suspense>
    </>
  )
}

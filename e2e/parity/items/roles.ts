import { contract } from '@touchstone/contract'
import { type Chapter, proofsIn } from '../item.ts'
import { promptErrors } from '../proofs.ts'

const { prompts, workspaces, sharing, datasetSharing } = contract
const stranger = proofsIn('e2e/parity/roles.test.ts')

export const roles: Chapter = {
  title: '6. Roles and permissions',
  items: [
    {
      statement: 'Only the owning tenant may create, update or delete a prompt',
      methods: ['createPrompt', 'updatePrompt', 'deletePrompt'],
      routes: [prompts.create, prompts.update, prompts.delete],
      proofs: promptErrors('of another workspace is neither created, nor changed, nor deleted'),
    },
    {
      statement: 'A public prompt needs a handle',
      methods: ['createPrompt'],
      routes: [workspaces.settings, prompts.create],
      proofs: promptErrors('is not public while the workspace has no handle'),
    },
    {
      statement: 'Shared runs are readable by anyone holding the public share token',
      methods: ['listSharedRuns'],
      routes: [sharing.publicRuns],
      proofs: stranger('a stranger with its token reads a shared run'),
    },
    {
      statement: 'Shared datasets are readable by anyone holding the public share token',
      methods: ['readSharedDataset', 'listSharedExamples'],
      routes: [datasetSharing.publicDataset, datasetSharing.publicExamples],
      proofs: stranger('a stranger with its token reads a shared dataset and its examples'),
    },
  ],
}

import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class KontorApi implements ICredentialType {
	name = 'kontorApi';

	displayName = 'Kontor API';

	icon: Icon = { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' };

	documentationUrl = /*homepage*/;

	properties: INodeProperties[] = /*properties*/;

	authenticate: IAuthenticateGeneric = /*authenticate*/;
}

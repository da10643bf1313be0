import { render } from 'preact';
import { App } from './app';
import { embeddedSource } from './embedded_source';
import { fleetData } from './fleet/fleet_data';
import { FleetPage } from './fleet/fleet_page';
import { HttpSource } from './http_source';
import { language } from './i18n';
import { follow } from './state';
import './style.css';

const fleet = fleetData(document);
const token = new URLSearchParams(location.search).get('token') ?? '';
if (fleet === null) void follow(embeddedSource(document) ?? new HttpSource(token));
else if (!new URLSearchParams(location.search).has('lang')) language.value = fleet.language;
const app = document.getElementById('app')!;
app.replaceChildren(); // what was painted while the script was on its way
render(fleet === null ? <App /> : <FleetPage data={fleet} />, app);
